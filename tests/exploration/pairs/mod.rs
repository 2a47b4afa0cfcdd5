//! Each pair of commands of each kind of entity, from each state of a row, under every order of their requests and every fault.
//!
//! The oracle is the library itself without concurrency: whatever two processes are told, and whatever is stored in the end, must be
//! so after one of the commands alone, or after both, one behind the other. A process that died, or was told that its write may have
//! been applied, may have done its command or not. One that was told of an error, and that nothing was applied, has not done it.
//!
//! A pair is explored from one state of its row, with a fault or a preemption in a run; with `DYNO_EXPLORE=all` from every state, with
//! both.
//!
//! Without a version, the attempts of one write are writes of their own, as docs/internals/guarantees.md says: `Promise::Repeated`.

/// Makes a command of an expression that `send` takes. `who` is the name of the process.
macro_rules! commands {
    ($($name:literal = |$who:pat_param| $command:expr;)+) => {
        &[$(($name, |repository, $who| Box::pin(async move {
            crate::pairs::Told::of($command.send(&repository).await)
        })),)+]
    };
}

/// Makes the states of a row: each is a block that gets a repository.
macro_rules! states {
    ($($name:literal = |$repository:ident| $state:expr;)+) => {
        &[$(($name, |$repository| Box::pin(async move {
            $state;
            Ok(())
        })),)+]
    };
}

mod client_side;
mod histories;
mod idempotency;
mod locks;
mod plain;
mod ratchets;
mod shapes;
mod transactions;
mod unique;
mod versions;

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::local::explore::{Explore, Failure, World};
use dyno::{Entity, EpochMillis, Error, Item, Outcome, Repository, TransactionOutcome};
use futures_util::future::LocalBoxFuture;
use sha2::{Digest as _, Sha256};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a process was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Applied,
    /// Nothing was applied, for these reasons. But an earlier attempt may have been, if the refusal says that the write is old news.
    Refused {
        reasons: String,
        is_old_news: bool,
    },
    /// This was read.
    Read(String),
    /// An error. Nothing was applied.
    Failed(String),
    /// An error. The write may have been applied, and may still be.
    Unknown,
}

/// An answer that tells what became of a command.
pub(crate) trait Answer {
    fn told(self) -> Told;
}

impl Answer for () {
    fn told(self) -> Told {
        Told::Applied
    }
}

impl<E, T> Answer for Outcome<E, T> {
    fn told(self) -> Told {
        match self {
            Self::Applied(_) => Told::Applied,
            Self::Refused(refusal) => {
                let is_newer = refusal.is_stale() || refusal.is_fenced() || refusal.is_duplicate();
                let is_old_news = is_newer || refusal.is_superseded();
                Told::Refused { reasons: format!("{:?}", refusal.reasons()), is_old_news }
            }
        }
    }
}

impl<T> Answer for TransactionOutcome<T> {
    fn told(self) -> Told {
        match self {
            Self::Applied(_) => Told::Applied,
            Self::Refused(_) => Told::Refused { reasons: String::new(), is_old_news: false },
        }
    }
}

impl Told {
    pub(crate) fn of(answer: Result<impl Answer, Error>) -> Self {
        match answer {
            Ok(answer) => answer.told(),
            Err(error) if error.may_be_applied() => Self::Unknown,
            Err(error) => Self::Failed(format!("{error}")),
        }
    }
}

pub(crate) type Command = fn(Repository, &'static str) -> LocalBoxFuture<'static, Told>;
pub(crate) type State = fn(Repository) -> LocalBoxFuture<'static, Result<(), Error>>;

pub(crate) type View = fn(Repository) -> LocalBoxFuture<'static, Result<String, Error>>;

/// What dyno promises of a write whose answer is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    /// It counts once.
    Once,
    /// It can come again, as a whole, after a write of another process. Each of its attempts is a write of its own.
    Repeated,
}

/// A kind of entity, the states of its row, and the commands that write it.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) promise: Promise,
    pub(crate) tables: State,
    pub(crate) states: &'static [(&'static str, State)],
    pub(crate) commands: &'static [(&'static str, Command)],
    /// The attributes that differ between equal runs: write ids and times.
    pub(crate) hidden: &'static [&'static str],
    pub(crate) names: &'static [&'static str],
    /// The final state as readers see it, instead of the rows.
    pub(crate) view: Option<View>,
}

/// An exploration whose runs begin in 2030, whenever it is made: idempotency keys are stored with their time.
pub(crate) fn at_one_time() -> Explore {
    Explore::new().at(EpochMillis::new(1_893_456_000_000))
}

/// What happens in one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// A fault or a preemption.
    Either,
    /// A fault and a preemption.
    Both,
    /// So many preemptions, and no fault.
    Preemptions(usize),
}

impl Depth {
    /// Returns [`Both`](Self::Both), if everything is explored.
    pub(crate) fn chosen() -> Self {
        if is_all() { Self::Both } else { Self::Either }
    }
}

/// Explores a scenario. Returns the numbers of runs and of requests in the longest.
pub(crate) fn explored(
    explore: &Explore,
    depth: Depth,
    scenario: impl AsyncFn(World) -> Result<(), Box<dyn std::error::Error>>,
) -> Result<(usize, usize), Box<Failure>> {
    let without_faults = |preemptions| explore.clone().faults(0).preemptions(preemptions);
    let explorations = match depth {
        Depth::Either => vec![without_faults(1), explore.clone().preemptions(0)],
        Depth::Both => vec![explore.clone().preemptions(1)],
        Depth::Preemptions(most) => vec![without_faults(most)],
    };
    let (mut runs, mut requests) = (0, 0);
    for exploration in explorations {
        let report = exploration.run(&scenario)?;
        assert!(report.is_complete(), "{report}");
        runs += report.runs;
        requests = requests.max(report.requests);
    }
    Ok((runs, requests))
}

/// The names of the processes.
const NAMES: [&str; 3] = ["ada", "bob", "eve"];

/// The end of a run: what each process was told (nothing, if it died), and what is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
struct End<T> {
    told: Vec<T>,
    stored: String,
}

impl Kind {
    /// Explores all pairs. Returns a line for the table.
    pub(crate) fn explore(&self) -> String {
        self.explore_with(&at_one_time(), Depth::chosen())
    }

    /// Explores all pairs so deeply. Returns a line for the table.
    pub(crate) fn explore_with(&self, explore: &Explore, depth: Depth) -> String {
        let pairs = self.groups(2).into_iter().enumerate().flat_map(|(at, commands)| {
            let states = self.states.iter().enumerate();
            let chosen = states.filter(move |(state_at, _)| is_all() || *state_at == at % self.states.len());
            chosen.map(move |(_, state)| (*state, commands.clone()))
        });
        let (count, line) = self.explore_groups(pairs, self.sequences(), |scenario| {
            explored(explore, depth, async |world| scenario.check(world).await)
        });
        format!("{}: {count} pairs, {line}", self.name)
    }

    /// Explores triples without faults. Returns a line for the table.
    pub(crate) fn explore_triples(&self) -> String {
        const ORDERS: &[&[usize]] = &[&[0, 1, 2], &[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0]];
        let chosen = self.groups(3).into_iter().enumerate().filter(|(at, _)| is_all() || at % 7 == 0);
        let triples = chosen.map(|(at, commands)| (self.states[at % self.states.len()], commands));
        let (count, line) = self.explore_groups(triples, ORDERS, |scenario| {
            let report = at_one_time().faults(0).run(async |world| scenario.check(world).await)?;
            assert!(report.is_complete(), "{report}");
            Ok((report.runs, report.requests))
        });
        format!("{}, triples without faults: {count} triples, {line}", self.name)
    }

    /// Returns the groups of so many commands, in any order and with repetitions.
    fn groups(&self, size: usize) -> Vec<Vec<(&'static str, Command)>> {
        let mut groups = vec![(0, Vec::new())];
        for _ in 0..size {
            let longer = |(first, group): (usize, Vec<(&'static str, Command)>)| {
                (first..self.commands.len()).map(move |at| {
                    let group = group.iter().copied().chain([self.commands[at]]).collect();
                    (at, group)
                })
            };
            groups = groups.into_iter().flat_map(longer).collect();
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    /// Explores commands beside each other, each group from a state. Returns how many groups there are, and the rest of the line.
    fn explore_groups(
        &self,
        groups: impl Iterator<Item = ((&'static str, State), Vec<(&'static str, Command)>)>,
        orders: &[&[usize]],
        explore: impl Fn(&Scenario<'_>) -> Result<(usize, usize), Box<Failure>>,
    ) -> (usize, String) {
        let (mut count, mut runs, mut longest) = (0, 0, 0);
        let mut ends = Sha256::new();
        for ((state_name, state), commands) in groups {
            let serial: Vec<End<Vec<Told>>> = orders.iter().map(|order| self.serial(state, &commands, order)).collect();
            for (at, (name, _)) in commands.iter().enumerate() {
                let mut told = serial.iter().flat_map(|end| &end.told[at]);
                let is_of_use = told.any(|told| !matches!(told, Told::Failed(_)));
                assert!(is_of_use, "{}: `{name}` always fails: {serial:?}", self.name);
            }
            // If the commands do something else without concurrency, the table shows it.
            ends.update(format!("{serial:?}"));
            let scenario = Scenario { kind: self, state, commands: &commands, serial: &serial };
            let (more, requests) = match explore(&scenario) {
                Ok(explored) => explored,
                Err(failure) => {
                    let names: Vec<_> = commands.iter().map(|(name, _)| *name).collect();
                    panic!("{}: {}, {state_name}: {failure}", self.name, names.join(" and "));
                }
            };
            count += 1;
            runs += more;
            longest = longest.max(requests);
        }
        let ends = ends.finalize().iter().take(4).fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        (count, format!("{runs} runs, {longest} requests in the longest, complete; ends #{ends}"))
    }

    /// Returns the orders in which the commands can come.
    fn sequences(&self) -> &'static [&'static [usize]] {
        match self.promise {
            Promise::Once => &[&[], &[0], &[1], &[0, 1], &[1, 0]],
            Promise::Repeated => &[
                &[],
                &[0],
                &[1],
                &[0, 1],
                &[1, 0],
                &[0, 0],
                &[1, 1],
                &[0, 0, 1],
                &[0, 1, 0],
                &[1, 0, 0],
                &[1, 1, 0],
                &[1, 0, 1],
                &[0, 1, 1],
            ],
        }
    }

    /// Runs the commands one behind the other.
    fn serial(&self, state: State, commands: &[(&str, Command)], order: &[usize]) -> End<Vec<Told>> {
        let seen = RefCell::new(None);
        at_one_time().faults(0).preemptions(0).check(async |world| {
            let repository = world.repository();
            (self.tables)(repository.clone()).await?;
            state(repository.clone()).await?;
            // An exploration is of processes, and this one reads.
            let reader = world.process("reader", async |repository| {
                let _tables = repository.client().list_tables().send().await;
            });
            world.run(reader).await;
            let mut told = vec![Vec::new(); commands.len()];
            for &which in order {
                told[which].push(commands[which].1(repository.clone(), NAMES[which]).await);
            }
            seen.replace(Some(End { told, stored: self.stored(&repository).await? }));
            Ok(())
        });
        seen.take().expect("the run")
    }

    /// Returns what is stored, without what differs between equal runs.
    async fn stored(&self, repository: &Repository) -> Result<String, Error> {
        if let Some(view) = self.view {
            return view(repository.clone()).await;
        }
        let mut text = String::new();
        for table in self.names {
            let scan = repository.client().scan().table_name(*table).consistent_read(true);
            let items = scan.send().await.expect("a scan").items.unwrap_or_default();
            let mut items: Vec<String> = items.into_iter().map(|item| self.shown(item)).collect();
            items.sort();
            let _ = write!(text, "{table}: {}; ", items.join(", "));
        }
        Ok(text)
    }

    fn shown(&self, item: Item) -> String {
        let shown = item.into_iter().filter(|(name, _)| !self.hidden.contains(&&**name)).map(|(name, value)| {
            let value = match value {
                AttributeValue::M(map) => self.shown(map),
                value => format!("{value:?}"),
            };
            (name, value)
        });
        format!("{:?}", shown.collect::<BTreeMap<_, _>>())
    }
}

/// Commands that run beside each other, and how they can end one behind the other.
pub(crate) struct Scenario<'a> {
    kind: &'a Kind,
    state: State,
    commands: &'a [(&'static str, Command)],
    serial: &'a [End<Vec<Told>>],
}

impl Scenario<'_> {
    async fn check(&self, world: World) -> Result<(), Box<dyn std::error::Error>> {
        (self.kind.tables)(world.repository()).await?;
        (self.state)(world.repository()).await?;
        let process = |(at, command): (usize, &(&str, Command))| {
            let (command, name) = (command.1, NAMES[at]);
            world.process(name, async move |repository| command(repository, name).await)
        };
        let told = world.run(self.commands.iter().enumerate().map(process).collect::<Vec<_>>()).await;
        let end = End { told, stored: self.kind.stored(&world.repository()).await? };
        if self.serial.iter().any(|serial| end.is_explained_by(serial)) {
            return Ok(());
        }
        let mut text = format!("no order of the commands explains\n  {end:?}\nPossible are\n");
        for serial in self.serial {
            let _ = writeln!(text, "  {serial:?}");
        }
        Err(text.into())
    }
}

impl End<Option<Told>> {
    /// Returns `true` if a run of the commands one behind the other can end like this.
    fn is_explained_by(&self, serial: &End<Vec<Told>>) -> bool {
        let fits = |told: &Option<Told>, serial: &Vec<Told>| match told {
            // It may have been done or not.
            None | Some(Told::Unknown) => true,
            Some(Told::Failed(_)) => !serial.contains(&Told::Applied),
            Some(Told::Refused { reasons, is_old_news }) => {
                let is_same =
                    |serial: &Told| matches!(serial, Told::Refused { reasons: others, .. } if others == reasons);
                serial.iter().any(is_same) && (*is_old_news || !serial.contains(&Told::Applied))
            }
            Some(told) => serial.contains(told),
        };
        self.stored == serial.stored && self.told.iter().zip(&serial.told).all(|(told, serial)| fits(told, serial))
    }
}

/// Creates the tables of an entity.
pub(crate) async fn tables<E: Entity>(repository: Repository) -> Result<(), Error> {
    repository.create_table::<E>().await
}

/// Whether each pair is explored from every state of the row, with a fault and a preemption in one run. Otherwise it is explored from
/// one state, another for each pair, with either.
fn is_all() -> bool {
    std::env::var("DYNO_EXPLORE").is_ok_and(|value| value == "all")
}

/// Compares a line of the table with the recorded one. With `UPDATE_EXPECT`, records it.
pub(crate) fn record(line: &str) {
    let file = if is_all() { "exploration/all.txt" } else { "exploration/some.txt" };
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let name = line.split(':').next().unwrap_or_default();
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    let is_this = |recorded: &&str| recorded.split(':').next() == Some(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        use std::sync::Mutex;
        static WRITING: Mutex<()> = Mutex::new(());
        let _alone = WRITING.lock();
        let recorded = std::fs::read_to_string(&path).unwrap_or_default();
        let others = recorded.lines().filter(|line| !is_this(line));
        let mut lines: Vec<&str> = others.chain([line]).collect();
        lines.sort_unstable();
        std::fs::write(&path, lines.join("\n") + "\n").expect("the table");
        return;
    }
    assert_eq!(recorded.lines().find(is_this), Some(line), "run it with UPDATE_EXPECT=1 if the change is meant");
}
