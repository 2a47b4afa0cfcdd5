//! Tables as files of DynamoDB's JSON: exports, imports, and lines that are garbled.

use dyno::json_lines::{Line, Lines, Table};
use dyno::{Cursor, Entity, EpochSeconds, Error, ErrorKind, InputCheckpoint, Item, Repository, SendMany};
use dyno_tests::faults::Fault;
use dyno_tests::{Engine, NOW, World, differs, item, lanes, n, s, world};

/// An entity of a table that has a tombstone, a TTL and revisions, too.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages", type_name = "page")]
#[partition_key(name = "site", template = "Site#{site}")]
#[sort_key(name = "path", template = "Page#{path}")]
#[tombstone(ttl_days = 7)]
#[history_table(layout = "same_table")]
struct Page {
    site: String,
    path: String,
    text: String,
    #[ttl]
    ttl: Option<EpochSeconds>,
    #[version]
    version: u64,
}

fn page(path: &str, text: &str) -> Page {
    Page { site: "a".to_owned(), path: path.to_owned(), text: text.to_owned(), ttl: None, version: 0 }
}

/// An entity of a table with a number as its key.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
struct Note {
    #[partition_key]
    id: u64,
    text: String,
}

async fn put_notes(world: &World, notes: u64, bytes: usize) {
    for id in 0..notes {
        let note = Note { id, text: "x".repeat(bytes) };
        note.put().send(&world.repository).await.expect("applied");
    }
}

async fn all(mut lines: Lines) -> Vec<String> {
    let mut all = Vec::new();
    while let Some(line) = lines.next().await {
        all.push(line.expect("a line"));
    }
    // A write id, which is random, comes before other attributes.
    all.sort_by_cached_key(|line| (format!("{:?}", line.item().get("path")), line.to_string()));
    all.iter().map(Line::to_string).collect()
}

async fn table(repository: &Repository, name: &str) -> Table {
    Table::describe(repository, name).await.expect("a table")
}

async fn exported(repository: &Repository, name: &str) -> Vec<String> {
    all(table(repository, name).await.export().stream(repository)).await
}

/// Imports lines, and returns the errors with the numbers of their lines.
async fn import(repository: &Repository, name: &str, lines: &[String]) -> Vec<(u64, Error)> {
    let table = table(repository, name).await;
    let rows: Vec<_> = lines.iter().map(|line| table.import(line)).collect();
    let mut sent = SendMany::new(name, rows).send(repository);
    let mut errors = Vec::new();
    while let Some(one) = sent.next().await {
        errors.extend(one.result.err().map(|error| (one.number + 1, error)));
    }
    assert_eq!(sent.checkpoint().done(), lines.len() as u64);
    errors
}

#[tokio::test]
async fn an_imported_table_is_the_exported_one() {
    let (from, to) = (world::<Page>().await, world::<Page>().await);
    for path in ["/", "/\u{e9}\n\"", "/gone"] {
        applied!(page(path, "first").create(), &from.repository);
        applied!(Page { version: 1, ..page(path, "second") }.put(), &from.repository);
    }
    applied!(Page::delete(("a", "/gone"), 2u64), &from.repository);
    from.write_foreign::<Page>(foreign()).await;
    let lines = exported(&from.repository, "pages").await;
    // Two pages with two revisions each, the tombstone with three, and the row of another program.
    assert_eq!(lines.len(), 2 * 3 + 4 + 1, "{lines:#?}");
    assert!(import(&to.repository, "pages", &lines).await.is_empty());
    assert_eq!(exported(&to.repository, "pages").await, lines);
    // Each rule goes on where it was.
    applied!(Page { version: 2, ..page("/", "third") }.put(), &to.repository);
    assert_eq!(Page::revision(("a", "/"), 1).send(&to.repository).await.expect("sent").expect("one").version(), 1);
    applied!(Page::restore(("a", "/gone")), &to.repository);
    let restored = Page::get(("a", "/gone")).consistent().send(&to.repository).await.expect("sent");
    assert_eq!(restored, Some(Page { version: 4, ..page("/gone", "second") }));
}

/// A row with a value of each type.
fn foreign() -> Item {
    let json = r#"{"Item": {"site": {"S": "b"}, "path": {"S": "\ud83e\udd80"}, "n": {"N": "-1.5E-7"}, "b": {"B": "AP8="},
        "t": {"BOOL": true}, "z": {"NULL": true}, "ss": {"SS": ["a", ""]}, "ns": {"NS": ["1", "2"]}, "bs": {"BS": ["", "AQ=="]},
        "l": {"L": [{"L": []}, {"M": {}}, {"S": ""}]}, "m": {"M": {"b": {"N": "1"}, "a": {"M": {"é": {"BOOL": false}}}}}}}"#;
    json.parse::<Line>().expect("a line").into_item()
}

#[test]
fn a_line_has_its_attributes_in_order() {
    let expected = concat!(
        r#"{"Item":{"b":{"B":"AP8="},"bs":{"BS":["","AQ=="]},"l":{"L":[{"L":[]},{"M":{}},{"S":""}]},"#,
        r#""m":{"M":{"a":{"M":{"é":{"BOOL":false}}},"b":{"N":"1"}}},"n":{"N":"-1.5E-7"},"ns":{"NS":["1","2"]},"#,
        r#""path":{"S":"🦀"},"site":{"S":"b"},"ss":{"SS":["a",""]},"t":{"BOOL":true},"z":{"NULL":true}}}"#,
    );
    let line = Line::from(foreign());
    assert_eq!(line.to_string(), expected);
    assert_eq!(expected.parse::<Line>().expect("a line"), line);
    assert_eq!(line.item(), &foreign());
}

#[tokio::test]
async fn a_garbled_line_is_an_error_with_its_number_and_the_rest_is_imported() {
    let world = world::<Note>().await;
    let no_line = "not a line of DynamoDB's JSON, at column";
    let no_key = "the row lacks the key of the table `notes`: expected `id` (N), found";
    let object = "expected `{\"Item\":{name:{type:value},…}}`";
    let lines = [
        (r#"{"Item":{"id":{"N":"1"}}}"#, String::new()),
        ("", format!("{no_line} 0: the line ends too early")),
        (r#"{"Item":{"id":{"N":"2"}"#, format!("{no_line} 23: the line ends too early")),
        ("id,text", format!("{no_line} 1: not JSON")),
        (r#"{"Item":{"id":{"N":"2"}}} {}"#, format!("{no_line} 27: not JSON")),
        (r#"{"id":{"N":"2"}}"#, format!("{no_line} 5: {object}")),
        (r#"{"Keys":{"id":{"N":"2"}}}"#, format!("{no_line} 7: {object}")),
        (r#"{"Item":{"id":{"N":2}}}"#, format!("{no_line} 20: {object}")),
        (r#"{"Item":{"id":{"X":"2"}}}"#, format!("{no_line} 18: {object}")),
        (r#"{"Item":{"id":{"N":"2"},"b":{"B":"?"}}}"#, format!("{no_line} 37: {object}")),
        (r#"{"Item":{"id":{"N":"2"},"id":{"N":"3"}}}"#, format!("{no_line} 39: an attribute name occurs twice")),
        (
            r#"{"Item":{"id":{"N":"2"},"m":{"M":{"a":{"S":""},"a":{"S":""}}}}}"#,
            format!("{no_line} 60: an attribute name occurs twice"),
        ),
        (r#"{"Item":{"id":{"S":"2"}}}"#, format!("{no_key} S")),
        (r#"{"Item":{"key":{"N":"2"}}}"#, format!("{no_key} nothing")),
        (r#"{"Item":{"id":{"N":"3"}}}"#, String::new()),
    ];
    let texts = lines.clone().map(|(line, _)| line.to_owned());
    let errors = import(&world.repository, "notes", &texts).await;
    let numbered = (1..).zip(&lines).filter(|(_, (_, error))| !error.is_empty());
    let expected: Vec<_> = numbered.map(|(number, (_, error))| (number, error.clone())).collect();
    assert!(errors.iter().all(|(_, error)| error.is_invalid_input()));
    assert_eq!(errors.into_iter().map(|(number, error)| (number, error.to_string())).collect::<Vec<_>>(), expected);
    assert_eq!(exported(&world.repository, "notes").await, [lines[0].0, lines[14].0]);
    // DynamoDB refuses what it cannot hold.
    let not_a_number = [r#"{"Item":{"id":{"N":"one"}}}"#.to_owned()];
    let errors = import(&world.repository, "notes", &not_a_number).await;
    assert!(matches!(&errors[..], [(1, error)] if error.kind() == ErrorKind::Service), "{errors:?}");
}

#[tokio::test]
async fn a_row_that_is_there_stays_and_an_equal_one_is_accepted() {
    let world = world::<Note>().await;
    let line = |id: &str, text: &str| Line::from(item([("id", n(id)), ("text", s(text))])).to_string();
    let lines = [line("1", "a"), line("2", "a"), line("1.0", "a"), line("1", "b"), line("3", "a")];
    let errors = import(&world.repository, "notes", &lines).await;
    let [(4, error)] = &errors[..] else { panic!("{errors:?}") };
    assert!(error.is_refused());
    assert_eq!(
        error.to_string(),
        "the table `notes` has another row with the key of the line, and the import leaves it unchanged"
    );
    assert!(import(&world.repository, "notes", &lines[..3]).await.is_empty(), "again");
    let stored = exported(&world.repository, "notes").await;
    assert_eq!(stored, [line("1", "a"), line("2", "a"), line("3", "a")]);
}

/// The answers of the first attempts get lost, so the retries meet the rows that the attempts have written.
#[tokio::test]
async fn a_row_whose_answer_is_lost_is_imported_once() {
    let world = world::<Note>().await;
    let table = table(&world.repository, "notes").await;
    let import = table.import(r#"{"Item":{"id":{"N":"1"}}}"#);
    world.lose_answers(1);
    import.clone().send(&world.repository).await.expect("imported");
    world.faults.next([Fault::AnswerLost, Fault::ErrorCode("AccessDeniedException")]);
    let other = table.import(r#"{"Item":{"id":{"N":"2"}}}"#);
    let error = other.clone().send(&world.repository).await.expect_err("in doubt");
    assert!(error.may_be_applied(), "{error}");
    other.send(&world.repository).await.expect("an equal row");
    world.faults.next([Fault::ErrorCode("AccessDeniedException")]);
    let error = import.send(&world.repository).await.expect_err("denied");
    assert!(error.is_denied() && !error.may_be_applied(), "{error}");
    assert_eq!(exported(&world.repository, "notes").await.len(), 2);
}

/// Each run dies at one of its requests, before or after the request is served.
#[tokio::test]
async fn an_import_that_dies_continues_from_its_checkpoint() {
    let source = world::<Note>().await;
    put_notes(&source, 12, 5).await;
    let lines = exported(&source.repository, "notes").await;
    for served in [false, true] {
        let world = world::<Note>().await;
        let table = table(&world.repository, "notes").await;
        let rows = || lines.iter().map(|line| table.import(line)).collect::<Vec<_>>();
        let mut saved: Option<InputCheckpoint> = None;
        for requests in 1..=5 {
            world.faults.dies_of(requests, served);
            let mut sent = SendMany::new("notes", rows()).concurrency(3).after(saved).send(&world.repository);
            let read = async {
                while let Some(one) = sent.next().await {
                    one.result.expect("imported");
                    saved = Some(sent.checkpoint());
                }
            };
            tokio::select! {
                () = read => {}
                () = world.faults.stopped() => {}
            }
            drop(sent);
            world.faults.go_on();
        }
        assert!(saved.is_some());
        let mut sent = SendMany::new("notes", rows()).after(saved).send(&world.repository);
        while let Some(one) = sent.next().await {
            one.result.expect("imported");
        }
        assert_eq!(exported(&world.repository, "notes").await, lines);
    }
}

/// Three rows are more than a page. Each run reads one line more than the one before, dies, and another goes on behind it.
#[tokio::test]
async fn an_export_continues_behind_its_cursor() {
    let world = world::<Note>().await;
    put_notes(&world, 8, 380_000).await;
    let table = table(&world.repository, "notes").await;
    for sealed in [false, true] {
        let repository = world.repository.clone();
        let repository = if sealed { repository.with_sealed_cursors([7; 32]) } else { repository };
        let metered = repository.metered();
        let whole = all(table.export().stream(&metered)).await;
        assert_eq!(whole.len(), 8);
        assert!(metered.usage().requests >= 3, "{:?}", metered.usage());
        if !differs(Engine::MiniStack, "a read costs one unit, whatever its size") {
            assert!(metered.usage().read_units >= 8.0 * 380_000.0 / 4096.0, "{:?}", metered.usage());
        }
        for lines_before in 0..=8 {
            let mut read = Vec::new();
            let mut lines = table.export().stream(&repository);
            assert_eq!(lines.cursor().expect("a cursor"), None);
            for _ in 0..lines_before {
                read.push(lines.next().await.expect("a line").expect("read").to_string());
            }
            let cursor = lines.cursor().expect("a cursor");
            let cursor = cursor.map(|cursor| cursor.to_string().parse::<Cursor>().expect("a cursor"));
            read.extend(all(table.export().after(cursor).stream(&repository)).await);
            read.sort_unstable();
            assert!(read == whole, "{lines_before}");
        }
    }
}

#[tokio::test]
async fn a_cursor_of_another_export_is_refused() {
    let world = world::<Note>().await;
    world.other().create_table::<Page>().await.expect("a table");
    put_notes(&world, 4, 5).await;
    let notes = table(&world.repository, "notes").await;
    let mut lines = notes.export().stream(&world.repository);
    lines.next().await.expect("a line").expect("read");
    let cursor = lines.cursor().expect("a cursor").expect("one");
    let pages = table(&world.repository, "pages").await;
    let of_a_scan = Note::scan().limit(1).send(&world.repository).await.expect("sent").cursor.expect("one");
    for export in [
        pages.export().after(cursor.clone()),
        notes.export().segment(0, 2).after(cursor),
        notes.export().after(of_a_scan),
        notes.export().segment(2, 2),
    ] {
        let mut lines = export.stream(&world.repository);
        let error = lines.next().await.expect("an error").expect_err("refused");
        assert!(error.is_invalid_input(), "{error}");
        assert!(lines.next().await.is_none());
    }
    let mut segments = Vec::new();
    for segment in 0..3 {
        segments.extend(all(notes.export().segment(segment, 3).stream(&world.repository)).await);
    }
    segments.sort_unstable();
    assert_eq!(segments, exported(&world.repository, "notes").await);
}

/// A value of a type that a later version of DynamoDB may have.
#[tokio::test]
async fn a_row_with_a_value_of_an_unknown_type_is_not_exported() {
    let world = world::<Note>().await;
    let mut lines = table(&world.repository, "notes").await.export().stream(&world.repository);
    world.faults.answer(
        "Scan",
        200,
        r#"{"Items":[{"id":{"N":"1"},"a":{"L":[{"VECTOR":"AA=="}]}},{"id":{"N":"2"}}],"Count":2}"#,
    );
    let error = lines.next().await.expect("a row").expect_err("unknown");
    assert!(error.is_decode() && error.to_string().contains("`notes`"), "{error}");
    assert!(lines.next().await.is_none());
}

#[tokio::test]
async fn a_missing_table_is_named() {
    let world = world::<Note>().await;
    let error = Table::describe(&world.repository, "nots").await.expect_err("missing");
    assert!(error.is_table_missing() && error.to_string().contains("`nots`"), "{error}");
}

/// A copy of the row would name a transaction that is not there. An attribute of another program is none.
#[tokio::test]
async fn a_row_that_a_transaction_holds_is_not_copied() {
    let world = world::<Note>().await;
    put_notes(&world, 2, 5).await;
    world.write_foreign::<Note>(item([("id", n(2)), ("text", s("a")), ("_x", s("mine"))])).await;
    let table = table(&world.repository, "notes").await;
    assert_eq!(exported(&world.repository, "notes").await.len(), 3);
    let held = lanes::with(item([("id", n(3)), ("text", s("a"))]), lanes::intent("1.1", item([])));
    world.write_foreign::<Note>(held.clone()).await;
    let mut lines = table.export().stream(&world.repository);
    let (mut read, mut error) = (0, None);
    while let Some(line) = lines.next().await {
        match line {
            Ok(_) => read += 1,
            Err(held) => error = Some((read, held)),
        }
    }
    let (before, error) = error.expect("an error");
    assert!(error.is_contended() && error.to_string().contains("`notes`"), "{error}");
    // The stream ends there, so its cursor does not pass over the row.
    assert_eq!(read, before);
    world.write_foreign::<Note>(item([("id", n(3)), ("text", s("settled"))])).await;
    let rest = all(table.export().after(lines.cursor().expect("a cursor")).stream(&world.repository)).await;
    assert_eq!(before + rest.len(), 4);
    let line = Line::from(held);
    let error = table.import(&line.to_string()).send(&world.repository).await.expect_err("held");
    assert!(error.is_contended(), "{error}");
    assert!(line.read::<Note>(world.repository.now()).expect_err("held").is_contended());
}

/// The row of the line was written, its answer was lost, and another writer has changed the row since.
#[tokio::test]
async fn a_refusal_behind_a_lost_answer_is_in_doubt() {
    let world = world::<Note>().await;
    let import = table(&world.repository, "notes").await.import(r#"{"Item":{"id":{"N":"1"},"text":{"S":"a"}}}"#);
    let repository = world.repository.clone();
    let sent = world
        .meanwhile(async move { import.send(&repository).await }, async {
            Note { id: 1, text: "b".to_owned() }.put().send(&world.other()).await.expect("applied");
        })
        .await;
    let error = sent.expect_err("refused");
    assert!(error.may_be_applied(), "{error}");
}

/// The lines of a file, decoded, so that commands can send them under the rules of the entity.
#[tokio::test]
async fn a_line_is_read_as_its_entity() {
    let world = world::<Page>().await;
    applied!(page("/", "first").create(), &world.repository);
    applied!(Page { version: 1, ..page("/", "second") }.put(), &world.repository);
    applied!(page("/gone", "first").create(), &world.repository);
    applied!(Page::delete(("a", "/gone"), 1u64), &world.repository);
    let expired = EpochSeconds::new(NOW / 1000 - 1);
    applied!(Page { ttl: Some(expired), ..page("/expired", "first") }.create(), &world.repository);
    let lines = exported(&world.repository, "pages").await;
    let read = |line: &String| line.parse::<Line>()?.read::<Page>(world.repository.now());
    let pages: Vec<Page> = lines.iter().filter_map(|line| read(line).expect("a row of the entity")).collect();
    assert_eq!(pages, [Page { version: 2, ..page("/", "second") }]);
    let of_another = item([("site", s("Site#a")), ("path", s("User#1")), ("version", n(1))]);
    assert!(!Line::from(of_another.clone()).is_of::<Page>());
    let error = Line::from(of_another).read::<Page>(world.repository.now()).expect_err("another's");
    assert!(error.is_decode(), "{error}");
    let of_no_shape = item([("site", s("Site#a")), ("path", s("Page#1")), ("text", n(1)), ("_type", s("page"))]);
    assert!(Line::from(of_no_shape.clone()).is_of::<Page>());
    let error = Line::from(of_no_shape).read::<Page>(world.repository.now()).expect_err("a number");
    assert!(error.is_decode() && error.to_string().contains("`text`"), "{error}");
}
