use dyno::{Document, Entity};

#[derive(Document, Clone)]
enum Priority {
    Low,
    Normal,
    High,
    Urgent,
}

#[derive(Entity)]
#[index(name = "by_priority", partition = team, sort = priority)]
#[index(name = "by_state", partition = team, sort(state, priority))]
#[index(name = "by_text", partition = team, sort(name = "text", template = "{priority}#{id}"))]
struct Ticket {
    #[partition_key]
    id: String,
    team: String,
    state: String,
    priority: Priority,
}

#[derive(Entity)]
struct Queue {
    #[partition_key]
    team: String,
    #[sort_key]
    priority: Priority,
}

#[derive(Entity)]
#[sort_key(name = "SK", template = "{priority}#{id:020}")]
struct Templated {
    #[partition_key]
    team: String,
    id: u64,
    priority: Priority,
}

#[derive(Document)]
#[document(order = "declared")]
enum Alphabetical {
    Low,
    Normal,
    High,
}

#[derive(Document)]
#[document(order = "alphabet")]
enum Unknown {
    A,
    B,
}

#[derive(Document)]
#[document(order = "declared")]
enum Fields {
    A(u8),
    B,
}

#[derive(Document)]
#[document(order = "declared", tag = "type")]
enum Tagged {
    A,
    B,
}

#[derive(Document)]
#[document(order = "declared")]
struct Structure {
    a: u8,
}

fn main() {
    let priority = Ticket::fields().priority;
    let _ = priority.eq(Priority::Low) | priority.is_in([Priority::High, Priority::Urgent]);
    let _ = priority.ge(Priority::Normal);
    let _ = priority.between(Priority::Low, Priority::High);
    let _ = priority.begins_with("L");
    let _ = Ticket::by_priority("a").sort_eq(Priority::Low);
    let _ = Ticket::by_priority("a").sort_ge(Priority::Low);
    let _ = Ticket::by_state("a").sort_eq("open").sort_eq(Priority::Low);
    let _ = Ticket::by_state("a").sort_gt("open");
    let _ = Ticket::by_state("a").sort_eq("open").sort_gt(Priority::Low);
    let _ = Ticket::by_text("a").sort_eq((Priority::Low,));
    let _ = Ticket::by_text("a").sort_between((Priority::Low,), (Priority::High,));
    let _ = Queue::query("a").sort_eq(Priority::Low);
    let _ = Queue::query("a").sort_between(Priority::Low, Priority::High);
    let _ = Templated::query("a").sort_eq((Priority::Low,));
    let _ = Templated::query("a").sort_le((Priority::Low,));
}
