//! The conditions in the generated documentation are those that dyno sends.
//!
//! The entities are the inputs of the derive's snapshots, so the tests read their documentation there.

use dyno::command::CheckActions;
use dyno::{EpochMillis, EpochSeconds, Found, Item, Repository, Request, Transaction};
use dyno_tests::{NOW, item, n, s, world};

#[allow(unreachable_pub, reason = "the derive's input has structs of every visibility")]
mod entities {
    use dyno::{Entity, EpochMillis, EpochSeconds};
    use std::collections::BTreeSet;

    include!("../../dyno-derive/snapshots/entities.rs");

    impl Rating {
        pub(super) fn new() -> Self {
            Self { user_id: "1".to_owned(), movie_id: "A".to_owned(), rating: 3, timestamp: EpochMillis::new(1) }
        }
    }

    impl Lease {
        pub(super) fn new(at: EpochMillis) -> Self {
            Self { id: "1".to_owned(), at, writer: "w".to_owned(), expires: EpochSeconds::new(1) }
        }
    }

    impl Review {
        pub(super) fn new() -> Self {
            Self {
                id: "1".to_owned(),
                rating: 1,
                comment: None,
                rated_at: EpochMillis::new(1),
                shipped: true,
                shipped_at: EpochMillis::new(2),
                carrier: "c".to_owned(),
            }
        }
    }

    impl Session {
        pub(super) fn new() -> Self {
            Self { user: "1".to_owned(), id: 1, note: String::new(), expires: None }
        }
    }

    impl Cart {
        pub(super) fn new(version: u64) -> Self {
            Self { id: "1".to_owned(), lines: Vec::new(), version }
        }
    }

    impl Document {
        pub(super) fn new(revision: u32) -> Self {
            let edited_at = EpochMillis::new(1);
            Self { folder: "1".to_owned(), name: "A".to_owned(), body: String::new(), edited_at, revision }
        }
    }

    impl Usage {
        pub(super) fn new() -> Self {
            Self { id: "1".to_owned(), calls: 1 }
        }
    }

    impl Order {
        pub(super) fn new(version: u64) -> Self {
            Self { id: "1".to_owned(), paid: true, paid_at: EpochMillis::new(1), version }
        }
    }

    impl Profile {
        pub(super) fn new() -> Self {
            Self { id: "1".to_owned(), name: "Ada".to_owned(), visits: 1, rest: dyno::Item::new() }
        }

        #[allow(clippy::unnecessary_wraps, reason = "what `upgrade` takes")]
        fn upgrade(item: &mut dyno::Item, _: u32) -> Result<(), std::convert::Infallible> {
            item.entry("name".to_owned()).or_insert_with(|| dyno_tests::s("nobody"));
            Ok(())
        }
    }

    impl Ticket {
        pub(super) fn new(version: u64) -> Self {
            Self { id: "1".to_owned(), title: "t".to_owned(), version }
        }
    }

    impl Agent {
        pub(super) fn new() -> Self {
            Self { name: "Ada".to_owned(), phone: "1".to_owned() }
        }
    }

    impl Report {
        pub(super) fn new() -> Self {
            Self { id: "1".to_owned(), at: EpochMillis::new(1), lines: 1, epoch: 3 }
        }
    }

    impl Account {
        pub(super) fn new(version: u64) -> Self {
            Self { id: "1".to_owned(), balance: 5, version }
        }
    }

    impl Contract {
        pub(super) fn new() -> Self {
            let (client, agent, made) = ("c".to_owned(), Some("a".to_owned()), EpochMillis::default());
            Self { id: "1".to_owned(), client, agent, text: String::new(), made, changed: None }
        }
    }

    impl Part {
        pub(super) fn new() -> Self {
            Self { id: "1".to_owned(), maker: "m".to_owned(), serial: 1 }
        }

        #[allow(clippy::unnecessary_wraps, reason = "what `upgrade` takes")]
        fn upgrade(_: &mut dyno::Item, _: u32) -> Result<(), std::convert::Infallible> {
            Ok(())
        }
    }

    impl Vote {
        pub(super) fn new() -> Self {
            Self { id: "1".to_owned(), voter: "v".to_owned(), choice: 1, at: EpochMillis::new(1) }
        }
    }

    impl<T> Note<T> {
        pub(super) fn new(body: T) -> Self {
            Self { id: "1".to_owned(), body }
        }
    }
}
use entities::{
    Account, Agent, Cart, Contract, Document, Lease, Note, Order, Part, Profile, Rating, Report, Review, Session,
    Ticket, Usage, User, Vote,
};

/// The text of an expansion, with the documentation of its functions.
struct Documentation(&'static str);

impl Documentation {
    /// Returns the request kind and condition in the documentation of a function.
    fn of(&self, function: &str) -> (String, Option<String>) {
        let end = [format!("pub fn {function}("), format!("pub fn {function}<")]
            .iter()
            .find_map(|signature| self.0.find(signature))
            .unwrap_or_else(|| panic!("no function {function}"));
        let mut lines: Vec<&str> =
            self.above(end).filter_map(|line| line.strip_prefix("///")).map(str::trim_start).collect();
        lines.reverse();
        let request = lines.iter().find_map(|line| line.strip_prefix("Sends one `")?.split('`').next());
        let condition = lines.iter().find_map(|line| line.strip_prefix('`')?.strip_suffix('`'));
        (request.unwrap_or_default().to_owned(), condition.map(str::to_owned))
    }

    /// Asserts that a function's documentation lists the request's condition, as one of several.
    fn mentions(&self, function: &str, request: Request) {
        let condition = match &request {
            Request::Put(put) => put.get_condition_expression(),
            Request::Update(update) => update.get_condition_expression(),
            other => panic!("{other:?}"),
        };
        let condition = condition.as_ref().expect("a condition");
        let start = self.0.find(&format!("pub fn {function}(")).expect("a function");
        let line = format!("/// `{condition}`");
        assert!(self.above(start).any(|documented| documented == line), "{function}: {condition}");
    }

    /// Returns the documentation and attributes of the function that begins here, from the last line to the first.
    fn above(&self, function: usize) -> impl Iterator<Item = &'static str> {
        let lines = self.0[..function].lines().rev().skip(1).map(str::trim);
        lines.take_while(|line| line.starts_with("///") || line.starts_with("#["))
    }

    fn check(&self, function: &str, request: Request) {
        let (kind, condition) = match &request {
            Request::Put(put) => ("PutItem", put.get_condition_expression()),
            Request::Update(update) => ("UpdateItem", update.get_condition_expression()),
            Request::Delete(delete) => ("DeleteItem", delete.get_condition_expression()),
            other => panic!("{other:?}"),
        };
        assert_eq!(self.of(function), (kind.to_owned(), condition.clone()), "{function}");
    }
}

/// Checks the documentation of the functions against the requests of their commands.
macro_rules! check {
    ($documentation:expr, $repository:expr, $($function:literal: $command:expr),* $(,)?) => {
        $($documentation.check($function, $command.request($repository).expect("a request"));)*
    };
}

fn tombstone<E: dyno::bound::Tombstoned + dyno::bound::MayExpire>(stored: Item) -> dyno::Tombstone<E> {
    match Found::<E>::classify(stored, EpochMillis::new(NOW)).expect("decodes") {
        Found::Deleted(tombstone) => tombstone,
        _ => panic!("not deleted"),
    }
}

#[tokio::test]
async fn documented_conditions_are_those_sent() {
    let world = world::<User>().await;
    let repository = &world.repository;
    let deleted = || dyno::aws_sdk_dynamodb::types::AttributeValue::Bool(true);

    let user = User {
        id: "1".to_owned(),
        name: String::new(),
        email: None,
        logins: 0,
        tags: std::collections::BTreeSet::new(),
    };
    check!(
        Documentation(include_str!("../../dyno-derive/snapshots/expanded/user.rs")), repository,
        "put": user.put(), "create": user.create(), "replace": user.replace(),
        "update": User::update("1").with(User::fields().name.set("x")), "delete": User::delete("1"),
    );

    let rating = Rating::new();
    let stone =
        item([("PK", s("User#1")), ("SK", s("Movie#A")), ("Timestamp", n(1)), ("Deleted", deleted()), ("TTL", n(2))]);
    check!(
        Documentation(include_str!("../../dyno-derive/snapshots/expanded/rating.rs")), repository,
        "put": rating.put(), "create": rating.create(), "replace": rating.replace(), "undelete": rating.undelete(),
        "delete": Rating::delete(("1", "A"), EpochMillis::new(1)),
        "purge": Rating::purge(&tombstone(stone)),
    );

    let at = EpochMillis::new(NOW);
    let lease = Lease::new(at);
    let stone = item([("id", s("1")), ("at", n(1)), ("writer", s("w")), ("deleted", deleted()), ("expires", n(2))]);
    check!(
        Documentation(include_str!("../../dyno-derive/snapshots/expanded/lease.rs")), repository,
        "put": lease.put(), "create": lease.create(), "replace": lease.replace(), "undelete": lease.undelete(),
        "delete": Lease::delete("1", (at, "w")), "purge": Lease::purge(&tombstone(stone)),
    );

    let review = Review::new();
    let (rated, shipped) = (EpochMillis::new(1), (EpochMillis::new(2), "c"));
    let stone = item([
        ("id", s("1")),
        ("rated_at", n(1)),
        ("shipped_at", n(2)),
        ("carrier", s("c")),
        ("deleted", deleted()),
        ("ttl", n(2)),
    ]);
    check!(
        Documentation(include_str!("../../dyno-derive/snapshots/expanded/review.rs")), repository,
        "put": review.put(), "create": review.create(), "replace": review.replace(), "undelete": review.undelete(),
        "rated_at": Review::update("1").rated_at(rated).rating(1).comment(None),
        "shipped_at": Review::update("1").shipped_at(shipped).shipped(true),
        "delete": Review::delete("1", rated, shipped), "purge": Review::purge(&tombstone(stone)),
    );

    let session = Session::new();
    check!(
        Documentation(include_str!("../../dyno-derive/snapshots/expanded/session.rs")), repository,
        "put": session.put(), "create": session.create(), "replace": session.replace(),
        "update": Session::update(("1", 1)).with(Session::fields().expires.set(EpochSeconds::new(1))),
        "delete": Session::delete(("1", 1)),
    );

    let profile = Profile::new();
    check!(
        Documentation(include_str!("../../dyno-derive/snapshots/expanded/profile.rs")), repository,
        "put": profile.put(), "create": profile.create(), "replace": profile.replace(),
        "update": Profile::update("1").with(Profile::fields().name.set("x")), "delete": Profile::delete("1"),
    );

    let note = Note::new("x".to_owned());
    let stone = item([("id", s("1")), ("deleted", deleted()), ("ttl", n(2))]);
    check!(
        Documentation(include_str!("../../dyno-derive/snapshots/expanded/note.rs")), repository,
        "put": note.put(), "create": note.create(), "replace": note.replace(), "undelete": note.undelete(),
        "update": Note::<String>::update("1").with(Note::<String>::fields().body.set("y")), "delete": Note::<String>::delete("1"),
        "purge": Note::<String>::purge(&tombstone(stone)),
    );
}

#[tokio::test]
async fn documented_conditions_of_versions_are_those_sent() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    let deleted = || dyno::aws_sdk_dynamodb::types::AttributeValue::Bool(true);
    let cart = Cart::new(3);
    let documentation = Documentation(include_str!("../../dyno-derive/snapshots/expanded/cart.rs"));
    check!(
        documentation, repository,
        "put": cart.put(), "create": cart.create(), "replace": cart.replace(),
        "update": Cart::update("1").version(3u64).with(Cart::fields().lines.set(vec![])), "delete": Cart::delete("1", 3u64),
    );
    documentation.mentions("put", Cart::new(0).put().request(repository).expect("a request"));
    let unchecked = Cart::update("1").unchecked().with(Cart::fields().lines.set(vec![]));
    documentation.mentions("update", unchecked.request(repository).expect("a request"));

    let document = Document::new(3);
    let at = EpochMillis::new(1);
    let stone = item([
        ("PK", s("Folder#1")),
        ("SK", s("Document#A")),
        ("edited_at", n(1)),
        ("revision", n(4)),
        ("write", s("-x")),
        ("deleted", deleted()),
        ("ttl", n(2)),
    ]);
    let documentation = Documentation(include_str!("../../dyno-derive/snapshots/expanded/document.rs"));
    check!(
        documentation, repository,
        "put": document.put(), "create": document.create(), "replace": document.replace(),
        "undelete": document.undelete(), "delete": Document::delete(("1", "A"), at, 3u32),
        "purge": Document::purge(&tombstone(stone)),
    );
    documentation.mentions("put", Document::new(0).put().request(repository).expect("a request"));

    let order = Order::new(3);
    let stone = item([("id", s("1")), ("paid_at", n(1)), ("version", n(4)), ("deleted", deleted()), ("ttl", n(2))]);
    let documentation = Documentation(include_str!("../../dyno-derive/snapshots/expanded/order.rs"));
    check!(
        documentation, repository,
        "put": order.put(), "create": order.create(), "replace": order.replace(), "undelete": order.undelete(),
        "paid_at": Order::update("1").paid_at(at).paid(true).version(3u64), "delete": Order::delete("1", at, 3u64),
        "purge": Order::purge(&tombstone(stone)),
    );
    let unchecked = Order::update("1").paid_at(at).paid(true).unchecked();
    documentation.mentions("paid_at", unchecked.request(repository).expect("a request"));
}

#[tokio::test]
async fn documented_conditions_of_transactional_entities_are_those_sent() {
    let world = world::<Account>().await;
    let repository = &world.repository;
    let account = Account::new(3);
    let documentation = Documentation(include_str!("../../dyno-derive/snapshots/expanded/account.rs"));
    check!(
        documentation, repository,
        "put": account.put(), "create": account.create(), "replace": account.replace(), "undelete": account.undelete(),
        "update": Account::update("1").version(3u64).with(Account::fields().balance.set(1u64)),
        "delete": Account::delete("1", 3u64),
    );
    documentation.mentions("put", Account::new(0).put().request(repository).expect("a request"));
    let unchecked = Account::update("1").unchecked().with(Account::fields().balance.set(1u64));
    documentation.mentions("update", unchecked.request(repository).expect("a request"));
}

#[tokio::test]
async fn documented_conditions_of_entities_with_a_type_name_are_those_sent() {
    let world = world::<Ticket>().await;
    let repository = &world.repository;
    let ticket = Ticket::new(3);
    let deleted = dyno::aws_sdk_dynamodb::types::AttributeValue::Bool(true);
    let stone = item([("id", s("1")), ("version", n(4)), ("_w", s("-x")), ("deleted", deleted), ("ttl", n(2))]);
    let documentation = Documentation(include_str!("../../dyno-derive/snapshots/expanded/ticket.rs"));
    check!(
        documentation, repository,
        "put": ticket.put(), "create": ticket.create(), "replace": ticket.replace(), "undelete": ticket.undelete(),
        "update": Ticket::update("1").version(3u64).with(Ticket::fields().title.set("u")),
        "delete": Ticket::delete("1", 3u64), "purge": Ticket::purge(&tombstone(stone)),
    );
    documentation.mentions("put", Ticket::new(0).put().request(repository).expect("a request"));
    let unchecked = Ticket::update("1").unchecked().with(Ticket::fields().title.set("u"));
    documentation.mentions("update", unchecked.request(repository).expect("a request"));

    let agent = Agent::new();
    check!(
        Documentation(include_str!("../../dyno-derive/snapshots/expanded/agent.rs")), repository,
        "put": agent.put(), "create": agent.create(), "replace": agent.replace(), "delete": Agent::delete("Ada"),
        "update": Agent::update("Ada").with(Agent::fields().phone.set("2")),
    );
}

#[tokio::test]
async fn documented_conditions_of_fences_are_those_sent() {
    let world = world::<Report>().await;
    let repository = &world.repository;
    let (at, deleted) = (EpochMillis::new(1), dyno::aws_sdk_dynamodb::types::AttributeValue::Bool(true));
    let stone = item([("id", s("1")), ("at", n(1)), ("epoch", n(3)), ("deleted", deleted), ("ttl", n(2))]);
    let documentation = Documentation(include_str!("../../dyno-derive/snapshots/expanded/report.rs"));
    check!(
        documentation, repository,
        "put": Report::new().put().fenced(7), "create": Report::new().create(), "replace": Report::new().replace(),
        "undelete": Report::new().undelete().fenced(7), "at": Report::update("1").at(at).lines(3u32),
        "delete": Report::delete("1", at).fenced(7), "purge": Report::purge(&tombstone(stone)),
    );
    let fenced = Report::update("1").at(at).lines(3u32).fenced(7).request(repository);
    documentation.mentions("at", fenced.expect("a request"));
}

#[tokio::test]
async fn documented_conditions_of_immutable_attributes_are_those_sent() {
    let world = world::<Contract>().await;
    let repository = &world.repository;
    let stone =
        item([("id", s("1")), ("deleted", dyno::aws_sdk_dynamodb::types::AttributeValue::Bool(true)), ("ttl", n(2))]);
    let contract = Contract::new();
    check!(
        Documentation(include_str!("../../dyno-derive/snapshots/expanded/contract.rs")), repository,
        "put": contract.put(), "create": contract.create(), "replace": contract.replace(),
        "undelete": contract.undelete(), "update": Contract::update("1").with(Contract::fields().text.set("x")),
        "delete": Contract::delete("1"), "purge": Contract::purge(&tombstone(stone)),
    );
    let part = Part::new();
    check!(
        Documentation(include_str!("../../dyno-derive/snapshots/expanded/part.rs")), repository,
        "put": part.put(), "create": part.create(), "replace": part.replace(), "delete": Part::delete("1"),
        "update": Part::update("1").with(Part::fields().serial.set_if_absent(1u64)),
    );
    let (vote, at) = (Vote::new(), EpochMillis::new(1));
    check!(
        Documentation(include_str!("../../dyno-derive/snapshots/expanded/vote.rs")), repository,
        "put": vote.put(), "create": vote.create(), "replace": vote.replace(), "undelete": vote.undelete(),
        "at": Vote::update("1").at(at).voter("v").choice(1u32), "delete": Vote::delete("1", at),
    );
}

/// Returns the request kind and condition of a check, which is sent only in a transaction.
fn checked(repository: &Repository, check: impl CheckActions) -> (String, Option<String>) {
    let request = Transaction::new().check(check).request(repository).expect("a request");
    let Request::Transaction(transaction) = request else { panic!("{request:?}") };
    let actions = transaction.get_transact_items().clone().expect("actions");
    let check = actions[0].condition_check().expect("a check");
    ("ConditionCheck".to_owned(), Some(check.condition_expression().to_owned()))
}

#[tokio::test]
async fn documented_conditions_of_checks_are_those_sent() {
    let world = world::<User>().await;
    let repository = &world.repository;
    macro_rules! check {
        ($($file:literal: $check:expr),* $(,)?) => {$(
            let documentation =
                Documentation(include_str!(concat!("../../dyno-derive/snapshots/expanded/", $file, ".rs")));
            assert_eq!(documentation.of("check"), checked(repository, $check), $file);
        )*};
    }
    check!(
        "user": User::check("1"),
        "rating": Rating::check(("1", "A")),
        "lease": Lease::check("1"),
        "session": Session::check(("1", 1)),
        "cart": Cart::check("1"),
        "document": Document::check(("1", "A")),
        "order": Order::check("1"),
        "ticket": Ticket::check("1"),
        "agent": Agent::check("Ada"),
        "report": Report::check("1"),
        "account": Account::check("1"),
        "contract": Contract::check("1"),
    );
}

#[tokio::test]
async fn documented_conditions_of_idempotency_keys_are_those_sent() {
    let world = world::<Usage>().await;
    let repository = &world.repository;
    let documentation = Documentation(include_str!("../../dyno-derive/snapshots/expanded/usage.rs"));
    check!(
        documentation, repository,
        "create": Usage::new().create(), "undelete": Usage::new().undelete(),
        "update": Usage::update("1").with(Usage::fields().calls.set(1)), "delete": Usage::delete("1"),
    );
    // The condition looks for the key in 6 sets, and the documentation says which sets can hold it.
    let keyed = Usage::update("1").with(Usage::fields().calls.set(1)).idempotency_key("a");
    let Request::Update(keyed) = keyed.request(repository).expect("a request") else { panic!("no update") };
    let condition = keyed.get_condition_expression().clone().expect("a condition");
    assert_eq!(condition.matches("NOT contains(#_k").count(), 6);
    assert!(documentation.0.contains(
        "the item holds the key for 60 s, in one of its sets `_k0` to `_k25`, which are used in turn. Clocks may differ by 10 s"
    ));
}
