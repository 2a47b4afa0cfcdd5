//! What the tasks and the items promise when nothing fails.

use super::{Version, World, assert_same, customer, lock, meter, payment, rows};
use dyno::{Entity as _, Error};
use dyno_examples::subscriptions::{
    Account, Closing, Customer, Invoice, Meter, Payment, Progress, Series, invoice, report,
};

/// An import of 5,000 rows, or of 500 by hand. One customer exists already, one address is another customer's, and one row is there twice.
#[tokio::test]
async fn an_import_names_the_rows_that_are_refused() -> Result<(), Error> {
    for version in Version::BOTH {
        let world = World::new().await?;
        customer("c7").create().send(&world.calm).await?.applied()?;
        let other = Customer { email: "taken@example.com".into(), ..customer("other") };
        other.create().send(&world.calm).await?.applied()?;

        let count = if version == Version::Commands { 5_000 } else { 500 };
        let mut file: Vec<Customer> = (0..count).map(|number| customer(&format!("c{number}"))).collect();
        file[50].email = "taken@example.com".into();
        file[60] = customer("c59"); // the same row twice
        file[70] = Customer { cents_per_call: 3, ..customer("c69") }; // another row of the same customer
        let mut progress = Progress::default();
        version.import(&world.repository, &file, &mut progress).await?;
        assert_eq!(progress.refused.iter().copied().collect::<Vec<_>>(), [50, 70], "{version:?}");
        let stored = Customer::scan().consistent().stream(&world.calm).try_collect().await?;
        assert_eq!(stored.len(), count - 2); // without 50 and 60, and with the other; row 70 was never one
        assert!(stored.iter().all(|customer| customer.version == 1 && customer.cents_per_call == 2));

        // Again: nothing changes, and the same rows are refused.
        let (before, sent) = (rows(&world).await, world.faults.requests().len());
        version.import(&world.repository, &file, &mut progress).await?;
        assert_eq!(world.faults.requests().len(), sent, "the checkpoint is at the end");
        let mut again = Progress::default();
        version.import(&world.repository, &file[..100], &mut again).await?;
        assert_eq!(again.refused, progress.refused);
        assert_same(&rows(&world).await, &before, "again");
    }
    Ok(())
}

/// The work fails at each customer in turn. Cursors behind each customer let the next run begin with the one that failed.
#[tokio::test]
async fn a_scan_continues_behind_the_last_customer_that_is_done() -> Result<(), Error> {
    for version in Version::BOTH {
        let world = World::new().await?;
        let file: Vec<Customer> = (0..60).map(|number| customer(&format!("c{number}"))).collect();
        version.import(&world.calm, &file, &mut Progress::default()).await?;
        for failing in 0..60 {
            let (mut done, mut cursor) = (Vec::new(), None);
            let mut fails = true;
            while version
                .each_customer(&world.repository, cursor.clone().as_deref(), async |customer, after| {
                    if done.len() == failing && std::mem::take(&mut fails) {
                        return Customer::get("").send(&world.calm).await.map(drop); // an error
                    }
                    done.push(customer.id);
                    cursor = after.or(cursor.take());
                    Ok(())
                })
                .await
                .is_err()
            {}
            assert!(!fails);
            let repeated = done.len() - 60;
            done.sort();
            done.dedup();
            assert_eq!(done.len(), 60, "{version:?}, {failing}");
            let at_most = if version == Version::Commands { 0 } else { 24 };
            assert!(repeated <= at_most, "{version:?}, {failing}: {repeated}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_webhook_that_comes_again_is_booked_once_and_another_payment_with_its_id_is_not() -> Result<(), Error> {
    for version in Version::BOTH {
        let world = World::new().await?;
        for _ in 0..3 {
            assert!(version.book(&world.repository, &payment("p1", 500)).await?);
        }
        assert!(!version.book(&world.repository, &payment("p1", 600)).await?);
        let booked = Payment::get("p1").consistent().send(&world.calm).await?.expect("a payment");
        assert_eq!(Payment { received: payment("", 0).received, ..booked.clone() }, payment("p1", 500));
        assert!(booked.received > payment("", 0).received);
    }
    Ok(())
}

#[tokio::test]
async fn a_deleted_customer_comes_back_with_all_rules() -> Result<(), Error> {
    for version in Version::BOTH {
        let world = World::new().await?;
        assert_eq!(version.restore(&world.repository, "ada").await?, None, "there has never been one");
        let ada = customer("ada");
        ada.create().send(&world.calm).await?.applied()?;
        let live = version.restore(&world.repository, "ada").await?;
        assert_eq!(live, Some(Customer { version: 1, ..ada.clone() }), "nobody has deleted her");

        Customer::delete("ada", 1u64).send(&world.calm).await?.applied()?;
        // Somebody else has her address by now.
        let eve = Customer { email: ada.email.clone(), ..customer("eve") };
        eve.create().send(&world.calm).await?.applied()?;
        let taken = version.restore(&world.repository, "ada").await.expect_err("taken");
        assert!(taken.refusal::<Customer>().is_some_and(dyno::Refusal::is_taken), "{taken}");

        Customer::delete("eve", 1u64).send(&world.calm).await?.applied()?;
        let back = Customer { version: 3, ..ada.clone() };
        for _ in 0..2 {
            assert_eq!(version.restore(&world.repository, "ada").await?, Some(back.clone()), "{version:?}");
        }
        assert_eq!(Customer::get_by_email(ada.email).send(&world.calm).await?, Some(back));

        // Without the tombstone, which DynamoDB removes after 30 days.
        Customer::delete("ada", 3u64).send(&world.calm).await?.applied()?;
        let (table, id) = (Customer::SCHEMA.table.expect("a name"), "ada".to_owned());
        let key = dyno::aws_sdk_dynamodb::types::AttributeValue::S(id);
        world.calm.client().delete_item().table_name(table).key("id", key).send().await.expect("removed");
        let back = version.restore(&world.repository, "ada").await?;
        assert_eq!(back.map(|ada| ada.version), Some(5), "{version:?}");

        // With the tombstone, and without the history, as if it had begun only after the deletion.
        Customer::delete("ada", 5u64).send(&world.calm).await?.applied()?;
        world.calm.client().delete_table().table_name("customers-history").send().await.expect("deleted");
        world.calm.create_table::<Customer>().await?;
        assert_eq!(version.restore(&world.repository, "ada").await?, None, "{version:?}");
    }
    Ok(())
}

#[tokio::test]
async fn the_closing_bills_each_customer_once_with_numbers_without_gaps() -> Result<(), Error> {
    for version in Version::BOTH {
        let world = World::new().await?;
        let file: Vec<Customer> = (0..30).map(|number| customer(&format!("c{number}"))).collect();
        version.import(&world.calm, &file, &mut Progress::default()).await?;
        report(&world.calm, &meter("c3", 70, 2_000)).await?;
        report(&world.calm, &meter("c3", 50, 1_000)).await?; // late
        assert_eq!(Meter::get("c3").consistent().send(&world.calm).await?, Some(meter("c3", 70, 2_000)));

        // Two hosts at once, and one that comes later.
        let (one, other) = (version.close(&world.repository, "2026-11"), version.close(&world.calm, "2026-11"));
        tokio::try_join!(one, other)?;
        version.close(&world.repository, "2026-11").await?;
        report(&world.calm, &meter("c3", 90, 3_000)).await?;
        version.close(&world.repository, "2026-12").await?;

        let mut invoices = Invoice::scan().consistent().send(&world.calm).await?.items;
        invoices.sort_by_key(|invoice| invoice.number);
        assert!(invoices.iter().map(|invoice| invoice.number).eq(1..=60), "{version:?}");
        for month in ["2026-11", "2026-12"] {
            let mut billed: Vec<_> = invoices.iter().filter(|invoice| invoice.month == month).collect();
            billed.sort_by_key(|invoice| &invoice.customer);
            billed.dedup_by_key(|invoice| &invoice.customer);
            assert_eq!(billed.len(), 30);
            let calls = if month == "2026-11" { 70 } else { 20 };
            assert!(billed.iter().all(|it| it.cents == if it.customer == "c3" { 1_000 + calls * 2 } else { 1_000 }));
        }
        let series = Series::get("invoices").consistent().send(&world.calm).await?;
        assert_eq!(series.map(|series| series.last), Some(60));
    }
    Ok(())
}

/// An earlier month, or the same one again, makes no invoice. The meter may have been set back.
#[tokio::test]
async fn a_month_is_billed_once_and_in_order() -> Result<(), Error> {
    let world = World::new().await?;
    report(&world.calm, &meter("ada", 10, 1)).await?;
    invoice(&world.repository, &customer("ada"), "2026-11").await?;
    report(&world.calm, &meter("ada", 4, 2)).await?;
    for month in ["2026-11", "2026-10", "2026-12"] {
        invoice(&world.repository, &customer("ada"), month).await?;
    }
    let account = Account::get("ada").consistent().send(&world.calm).await?.expect("an account");
    assert_eq!((&*account.month, account.calls, account.version), ("2026-12", 10, 2));
    let second = Invoice::get(2).consistent().send(&world.calm).await?.expect("an invoice");
    assert_eq!((&*second.month, second.cents), ("2026-12", 1_000));
    Ok(())
}

/// An error of the closing does not keep the lock.
#[tokio::test]
async fn the_lock_is_free_after_an_error() -> Result<(), Error> {
    for version in Version::BOTH {
        let world = World::new().await?;
        customer("ada").create().send(&world.calm).await?.applied()?;
        let foreign = Closing { month: "2026-11".into(), after: Some("no cursor".into()), ..Closing::default() };
        foreign.create().send(&world.calm).await?.applied()?;
        let error = version.close(&world.repository, "2026-11").await.expect_err("no cursor");
        assert!(error.to_string().contains("cursor"), "{error}");
        let row = lock().inspect(&world.calm).await?.expect("a row");
        assert!(!row.is_held, "{version:?}");
        version.close(&world.repository, "2026-12").await?;
    }
    Ok(())
}
