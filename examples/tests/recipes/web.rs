use dyno::Repository;
use dyno_examples::recipes::web::{Order, Payment, service};
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// Serves these orders of Ada on a port of this machine.
async fn serve(numbers: impl Iterator<Item = u32>) -> Result<(Repository, SocketAddr), Box<dyn std::error::Error>> {
    let repository = Repository::local().await?.with_sealed_cursors([7; 32]);
    repository.create_table::<Order>().await?;
    repository.create_table::<Payment>().await?;
    for number in numbers {
        let order = Order { customer: "ada".into(), number, cents: 1_000, paid: false };
        order.put().send(&repository).await?;
    }
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let service = service(repository.clone());
    tokio::spawn(async move { axum::serve(listener, service).await });
    Ok((repository, address))
}

/// Sends a request, and returns the status and the body.
async fn request(address: SocketAddr, path: &str, body: Option<&'static str>) -> (u16, serde_json::Value) {
    let url = format!("http://{address}{path}");
    let exchange = move || {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut response = match body {
            Some(body) => agent.post(url).header("content-type", "application/json").send(body),
            None => agent.get(url).call(),
        }?;
        Ok::<_, ureq::Error>((response.status().as_u16(), response.body_mut().read_to_string()?))
    };
    let (status, body) = tokio::task::spawn_blocking(exchange).await.expect("the client").expect("an answer");
    (status, serde_json::from_str(&body).unwrap_or_default())
}

#[tokio::test]
async fn a_browser_pages_through_the_orders() -> Result<(), Box<dyn std::error::Error>> {
    let (_, address) = serve(1..=45).await?;
    let (mut shown, mut path) = (Vec::new(), "/customers/ada/orders".to_owned());
    loop {
        let (status, page) = request(address, &path, None).await;
        assert_eq!(status, 200);
        let orders = page["orders"].as_array().expect("orders");
        shown.extend(orders.iter().filter_map(|order| order["number"].as_u64()));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/customers/ada/orders?after={next}");
    }
    assert_eq!(shown, (1..=45).rev().collect::<Vec<_>>());
    Ok(())
}

/// The cursor with another character in its middle.
fn changed(cursor: &str) -> String {
    let middle = cursor.len() / 2;
    let other = if &cursor[middle..=middle] == "A" { "B" } else { "A" };
    format!("{}{other}{}", &cursor[..middle], &cursor[middle + 1..])
}

#[tokio::test]
async fn a_cursor_of_somebody_else_is_a_bad_request() -> Result<(), Box<dyn std::error::Error>> {
    let (repository, address) = serve(1..=45).await?;
    let of_ben = Order { customer: "ben".into(), number: 1, cents: 1, paid: false };
    of_ben.put().send(&repository).await?;
    let (_, page) = request(address, "/customers/ada/orders", None).await;
    let cursor = page["next"].as_str().expect("a cursor");
    for path in [
        format!("/customers/ben/orders?after={cursor}"),
        format!("/customers/ada/orders?after={}", changed(cursor)),
        "/customers/ada/orders?after=ada".to_owned(),
    ] {
        assert_eq!(request(address, &path, None).await.0, 400, "{path}");
    }
    Ok(())
}

#[tokio::test]
async fn a_webhook_that_comes_again_counts_once() -> Result<(), Box<dyn std::error::Error>> {
    let (repository, address) = serve(1..=1).await?;
    let payment = r#"{ "id": "p-1", "customer": "ada", "order": 1, "cents": 1000 }"#;
    let webhook = |body| request(address, "/webhooks/payments", Some(body));
    let ((one, _), (other, _)) = tokio::join!(webhook(payment), webhook(payment));
    let mut statuses = [one, other];
    statuses.sort_unstable();
    // One of the two requests has booked it. The other one came after it, or at the same moment.
    assert!(statuses == [200, 201] || statuses == [201, 503], "{statuses:?}");
    assert_eq!(webhook(payment).await.0, 200);

    let order = Order::get(("ada", 1)).consistent().send(&repository).await?;
    assert!(order.is_some_and(|order| order.paid));
    let too_little = r#"{ "id": "p-2", "customer": "ada", "order": 1, "cents": 999 }"#;
    assert_eq!(webhook(too_little).await.0, 409);
    assert!(Payment::get("p-2").consistent().send(&repository).await?.is_none());
    assert_eq!(webhook("{}").await.0, 422);
    Ok(())
}
