// An update knows the value that it stores, and the values that are unique together change together.

use dyno::{BatchWrite, Entity};

#[derive(Entity)]
#[unique(name = "handle", fields(tenant, handle))]
struct User {
    #[partition_key]
    id: String,
    #[unique]
    number: u64,
    tenant: String,
    handle: String,
}

#[derive(Entity)]
struct Plain {
    #[partition_key]
    id: String,
}

fn main() {
    let f = User::fields();
    let _ = f.number.increment(1);
    let _ = User::fields().number.set_if_absent(1u64);
    let _ = User::fields().handle.set("ada");
    let _ = User::fields().tenant_and_handle.set(("acme", "ada"));
    let _ = User::get_by_number("7");
    let _ = User::get_by_handle("ada");
    let _ = User::get_by_number(7u64).consistent();
    let _ = dyno::command::SweepGuards::<Plain>::new();
}

fn batch(user: User) {
    let _ = BatchWrite::new().add(user.put());
}

async fn unhandled(user: User, repository: dyno::Repository) -> Result<(), dyno::Error> {
    let () = user.put().send(&repository).await?;
    Ok(())
}
