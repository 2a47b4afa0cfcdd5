//! Cursors and checkpoints come back from outside the program. They continue only the command that made them, and hold
//! nothing that was not returned. Any other cursor or checkpoint is refused before a request.

use aws_smithy_types::base64;
use dyno::{Checkpoint, Cursor, Entity, Error, Projection, Repository};
use dyno_tests::{World, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
#[index(name = "by_topic", partition = topic, sort = rank)]
struct Note {
    #[partition_key]
    owner: String,
    #[sort_key]
    name: String,
    topic: String,
    rank: u32,
    public: bool,
}

/// Like `Note`, but with a `name` of another type.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
struct Numbered {
    #[partition_key]
    owner: String,
    #[sort_key]
    name: u64,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Note)]
struct Name {
    name: String,
}

/// Creates notes of these names. A note with an uppercase letter is public.
async fn notes(names: &str) -> World {
    notes_of(names, char::is_uppercase).await
}

async fn notes_of(names: &str, is_public: fn(char) -> bool) -> World {
    let world = world::<Note>().await;
    for (rank, name) in (1..).zip(names.chars()) {
        let note = Note {
            owner: "ada".to_owned(),
            name: format!("name-{name}"),
            topic: "all".to_owned(),
            rank,
            public: is_public(name),
        };
        note.put().send(&world.repository).await.expect("a put");
    }
    world
}

fn public() -> dyno::command::Query<Note> {
    Note::query("ada").filter(Note::fields().public.eq(true))
}

/// Returns the decoded bytes of a cursor.
fn decoded(cursor: &Cursor) -> Vec<u8> {
    let mut text = cursor.to_string().replace('-', "+").replace('_', "/");
    text.extend(std::iter::repeat_n('=', text.len().wrapping_neg() % 4));
    base64::decode(text).expect("base64")
}

fn encoded(bytes: &[u8]) -> Cursor {
    let text = base64::encode(bytes).trim_end_matches('=').replace('+', "-").replace('/', "_");
    text.parse().expect("a cursor")
}

fn holds(cursor: &Cursor, text: &str) -> bool {
    decoded(cursor).windows(text.len()).any(|window| window == text.as_bytes())
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>, expected: &str) {
    let error = result.expect_err(expected);
    assert!(error.is_invalid_input() && error.to_string().contains(expected), "{error}");
}

const OTHER: &str = "the cursor belongs to another query or scan";

#[tokio::test]
async fn a_cursor_holds_the_key_of_the_last_item_returned() {
    let world = notes_of("abcdefghijklmnop", |name| "aeio".contains(name)).await;
    let repository = &world.repository;
    for limit in [1, 2, 3] {
        let (mut found, mut cursor) = (String::new(), None);
        loop {
            let page = public().limit(limit).after(cursor).send(repository).await.expect("a query");
            found.extend(page.items.iter().filter_map(|note| note.name.chars().last()));
            let Some(next) = page.cursor else { break };
            let last = page.items.last().expect("what a cursor is behind was returned");
            assert!(holds(&next, &last.name), "{limit}");
            for private in "bcdfghjklmnp".chars() {
                assert!(!holds(&next, &format!("name-{private}")), "{limit}: {private}");
            }
            cursor = Some(next);
        }
        assert_eq!(found, "aeio", "{limit}");
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "files")]
struct File {
    #[partition_key]
    owner: String,
    #[sort_key]
    name: String,
    public: bool,
    content: String,
}

/// Creates files, each of which fills a third of a page of 1 MB.
async fn files(count: usize, is_public: impl Fn(usize) -> bool) -> World {
    let world = world::<File>().await;
    for number in 0..count {
        let (owner, name) = ("ada".to_owned(), format!("file-{number:02}"));
        let file = File { owner, name, public: is_public(number), content: "x".repeat(350_000) };
        file.put().send(&world.repository).await.expect("a put");
    }
    world
}

#[tokio::test]
async fn a_query_without_a_limit_reads_pages_until_an_item_passes_the_filter() {
    let world = files(12, |number| number == 10).await;
    let query = || File::query("ada").filter(File::fields().public.eq(true));
    let metered = world.repository.metered();
    let page = query().send(&metered).await.expect("a query");
    assert_eq!(page.items.len(), 1);
    assert!(metered.usage().requests > 2, "more than one page is read");
    let page = match page.cursor {
        Some(cursor) => query().after(cursor).send(&metered).await.expect("a query"),
        None => return,
    };
    assert!(page.items.is_empty() && page.cursor.is_none());
    // A sealed cursor may point behind items that the filter skipped, so `send` sends only one request.
    let sealed = world.repository.clone().with_sealed_cursors([1; 32]).metered();
    let page = query().send(&sealed).await.expect("a query");
    assert!(page.items.is_empty() && sealed.usage().requests == 1);
    let (mut cursor, mut found) = (page.cursor, 0);
    while let Some(next) = cursor {
        let page = query().after(next).send(&sealed).await.expect("a query");
        (cursor, found) = (page.cursor, found + page.items.len());
    }
    assert_eq!(found, 1);
}

/// A cursor of `public()`.
async fn cursor(repository: &Repository) -> Cursor {
    let page = public().limit(1).send(repository).await.expect("a query");
    page.cursor.expect("a cursor")
}

#[tokio::test]
async fn a_cursor_continues_only_the_query_that_returned_it() {
    let world = notes("aAbBcC").await;
    let repository = world.repository.metered();
    let given = || cursor(&world.repository);
    let f = Note::fields();
    let next = |page: dyno::Page<Note>| page.items.first().map(|note| note.name.clone());
    // Options that do not affect the position, such as the limit, may differ.
    let page = public().after(given().await).limit(5).consistent().send(&repository).await.expect("a query");
    assert_eq!(next(page).as_deref(), Some("name-B"));
    let page = public().after(given().await).project::<Name>().send(&repository).await.expect("a query");
    assert_eq!(page.items.len(), 2);
    // Equivalent key conditions may differ in form as well.
    let same = Note::query("ada").sort_ge("name-").sort_gt("name-").sort_lt("o").limit(1);
    let page = same.send(&world.repository).await.expect("a query");
    let again = Note::query("ada").sort_lt("o").sort_gt("name-").after(page.cursor.expect("a cursor"));
    assert_eq!(again.send(&repository).await.expect("a query").items.len(), 5);
    let before = repository.usage().requests;
    for other in [
        Note::query("bob").filter(f.public.eq(true)),
        public().descending(),
        public().sort_ge("name-A"),
        Note::query("ada"),
        Note::query("ada").filter(f.public.eq(false)),
        Note::query("ada").filter(f.public.ne(true)),
        Note::query("ada").filter(!f.public.eq(true)),
        public().filter(f.topic.eq("all")),
    ] {
        refused(other.clone().after(given().await).send(&repository).await, OTHER);
        refused(other.clone().after(given().await).request(&repository), OTHER);
        let mut stream = other.after(given().await).stream(&repository);
        refused(stream.next().await.expect("an error"), OTHER);
    }
    refused(Note::scan().filter(f.public.eq(true)).after(given().await).send(&repository).await, OTHER);
    refused(Note::by_topic("all").filter(f.public.eq(true)).after(given().await).send(&repository).await, OTHER);
    refused(Numbered::query("ada").after(given().await).send(&repository).await, OTHER);
    let elsewhere = repository.clone().with_table::<Note>("others");
    refused(public().after(given().await).send(&elsewhere).await, OTHER);
    assert_eq!(repository.usage().requests, before);
}

#[tokio::test]
async fn a_cursor_of_an_index_or_a_segment_continues_only_there() {
    let world = notes("abcdef").await;
    let repository = &world.repository;
    let page = Note::by_topic("all").limit(2).send(repository).await.expect("a query");
    let given = page.cursor.expect("a cursor");
    let rest = Note::by_topic("all").after(given.clone()).send(repository).await.expect("a query");
    assert_eq!(rest.items.len(), 4);
    refused(Note::by_topic("none").after(given.clone()).send(repository).await, OTHER);
    refused(Note::by_topic("all").sort_gt(1_u32).after(given.clone()).send(repository).await, OTHER);
    refused(Note::query("ada").after(given).send(repository).await, OTHER);
    let mut stream = Note::scan().segment(0, 1).stream(repository);
    let _first = stream.next().await.expect("an item").expect("a note");
    let given = stream.cursor().expect("made").expect("a cursor");
    refused(Note::scan().segment(0, 2).after(given.clone()).send(repository).await, OTHER);
    refused(Note::scan().after(given.clone()).send(repository).await, OTHER);
    let rest = Note::scan().segment(0, 1).after(given).send(repository).await.expect("a scan");
    assert_eq!(rest.items.len(), 5);
}

#[tokio::test]
async fn a_cursor_with_a_forged_key_is_refused_before_the_request() {
    let world = notes("aAbBcC").await;
    let query = || Note::query("ada").sort_between("name-A", "name-C");
    let page = query().limit(1).send(&world.repository).await.expect("a query");
    let bytes = decoded(&page.cursor.expect("a cursor"));
    let repository = world.repository.metered();
    let replaced = |from: &str, to: &str| {
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).expect(from);
        let mut bytes = bytes.clone();
        bytes.splice(at..at + from.len(), to.bytes());
        encoded(&bytes)
    };
    for forged in [
        replaced("Sname-A", "Nname-A"),
        replaced("Sname-A", "Bname-A"),
        replaced("Sname-A", "Sname-D"),
        replaced("Sname-A", "Sname-0"),
        replaced("Sada", "Sbob"),
        replaced("owner", "Owner"),
    ] {
        refused(query().after(forged).send(&repository).await, "holds no key after which this query");
    }
    assert_eq!(repository.usage().requests, 0);
}

#[tokio::test]
async fn a_checkpoint_continues_only_the_scan_that_returned_it() {
    let world = notes("aAbBcC").await;
    let (repository, f) = (&world.repository, Note::fields());
    let done = Note::scan().filter(f.public.eq(true)).parallel(2).modify_each(|note| note.rank += 1).send(repository);
    let given = done.await.expect("sent").completed().expect("done").checkpoint().clone();
    let given: Checkpoint = given.to_string().parse().expect("a checkpoint");
    let again = Note::scan().filter(f.public.eq(true)).parallel(2).modify_each(|_| {}).after(given.clone());
    assert!(again.send(repository).await.expect("the same").is_finished());
    let metered = repository.metered();
    let other = "the checkpoint belongs to another command, entity, table, index or filter";
    for scan in [Note::scan(), Note::scan().filter(f.public.eq(false))] {
        let each = scan.parallel(2).modify_each(|_| {}).after(given.clone());
        refused(each.send(&metered).await, other);
    }
    let elsewhere = metered.clone().with_table::<Note>("others");
    let each = Note::scan().filter(f.public.eq(true)).parallel(2).modify_each(|_| {}).after(given.clone());
    refused(each.send(&elsewhere).await, other);
    refused(Numbered::scan().parallel(2).modify_each(|_| {}).after(given).send(&metered).await, other);
    assert_eq!(metered.usage().requests, 0);
}

#[tokio::test]
async fn a_sealed_cursor_can_be_neither_read_nor_changed() {
    let world = notes("aAbBcC").await;
    let plain = &world.repository;
    let sealed = plain.clone().with_sealed_cursors([1; 32]);
    let given = cursor(&sealed).await;
    for hidden in ["ada", "owner", "name-A", "name"] {
        assert!(!holds(&given, hidden), "{hidden}");
    }
    assert_ne!(given, cursor(&sealed).await, "two of one place are not known to be");
    let page = public().after(given.clone()).send(&sealed).await.expect("a query");
    assert_eq!(page.items.iter().map(|note| &*note.name).collect::<Vec<_>>(), ["name-B", "name-C"]);
    // Another process with the same key can use the cursor.
    let text = given.to_string();
    let parsed: Cursor = text.parse().expect("a cursor");
    let other = world.other().with_sealed_cursors([1; 32]);
    assert_eq!(public().after(parsed).send(&other).await.expect("a query").items.len(), 2);
    let mut stream = public().stream(&sealed);
    let _first = stream.next().await.expect("an item").expect("a note");
    let reached = stream.cursor().expect("made").expect("a cursor");
    assert_ne!(stream.cursor().expect("made").expect("a cursor"), reached, "it is sealed when it is asked for");
    assert_eq!(public().after(reached).send(&sealed).await.expect("a query").items.len(), 2);
    // A sealed cursor is refused by another query, and if any of its bytes was changed.
    let metered = sealed.metered();
    let changed = "was changed, or was sealed with another key";
    refused(Note::query("ada").after(given.clone()).send(&metered).await, changed);
    refused(public().descending().after(given.clone()).send(&metered).await, changed);
    let bytes = decoded(&given);
    for at in 1..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        refused(public().after(encoded(&bytes)).send(&metered).await, changed);
    }
    refused(public().after(encoded(&bytes[..20])).send(&metered).await, changed);
    let rekeyed = metered.clone().with_sealed_cursors([2; 32]);
    refused(public().after(given.clone()).send(&rekeyed).await, changed);
    refused(public().after(cursor(plain).await).send(&metered).await, "the cursor is not sealed");
    refused(public().after(given).send(&plain.metered()).await, "give the repository its key");
    assert_eq!(metered.usage().requests, 0);
}

#[test]
fn cursors_and_checkpoints_of_an_older_format_are_refused() {
    // These texts have the format from before formats had numbers. They contain only the key.
    assert!("AAJQSwACU3g".parse::<Cursor>().is_err());
    assert!("0.0.0.0.0.1.0~AAJQSwACU3g".parse::<Checkpoint>().is_err());
}

/// A cursor belongs to one segment, but the items of a parallel scan come from several segments.
#[tokio::test]
async fn a_parallel_scan_has_no_cursor() {
    let world = notes("abcdefghij").await;
    let repository = &world.repository;
    for segments in [1, 2, 5] {
        let mut stream = Note::scan().parallel(segments).stream(repository);
        let mut found = 0;
        while let Some(note) = stream.next().await {
            note.expect("a note");
            found += 1;
            assert_eq!(stream.cursor().expect("none is made"), None, "{segments}");
        }
        assert_eq!(found, 10, "{segments}");
    }
}
