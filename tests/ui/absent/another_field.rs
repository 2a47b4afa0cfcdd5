//! Another field of the item where a value is expected.

use dyno::Entity;

#[derive(Entity)]
#[entity(table = "projects")]
struct Project {
    #[partition_key]
    id: String,
    spent: u64,
    budget: u64,
}

fn main() {
    let f = Project::fields;
    let _ = f().spent.lt(&f().budget);
    let _ = f().spent.le(f().budget);
    let _ = f().spent.eq(&f().budget);
    let _ = f().spent.ne(f().budget);
    let _ = f().spent.between(f().budget, 5_u64);
    let _ = f().spent.set(f().budget);
    let _ = f().spent.add(f().budget);
    let _ = Project::scan().filter(f().id.like("a%"));
    let _ = Project::scan().filter(f().id.not_eq("a"));
    let _ = Project::scan().filter(f().id.eq("a").not());
}
