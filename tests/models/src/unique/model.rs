//! The model: its initial states, the actions that are possible in each state, and the properties that every state must have.

use super::client::{Client, Next, Reader};
use super::operation::{Measure, Operation, compose};
use super::request::Request;
use super::state::{Item, Rows, State, Value};
use stateright::{Model, Property};

/// The size of a model.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// The number of items.
    pub items: usize,
    /// The number of values.
    pub values: Value,
    /// The number of clients, each of which does one operation.
    pub clients: usize,
    /// How many requests can arrive twice, or lose their answer.
    pub losses: u8,
    /// How many times a program that does not know the uniqueness rule may write an item, or a restore may set back a guard.
    pub foreign_writes: u8,
    /// `true` if the initial states also have items that are not adopted.
    pub begins_foreign: bool,
}

/// The protocol of unique values.
#[derive(Clone, Debug)]
pub struct UniqueValues {
    /// The size.
    pub scope: Scope,
    /// The measure that is left out, to check that the protocol needs it.
    pub omitted: Option<Measure>,
}

/// A step of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// This client begins.
    Begin(usize, Operation),
    /// This request arrives.
    Arrive(Request),
    /// This request arrives, and its answer is lost: the client ends without one.
    LoseAnswer(Request),
    /// This request arrives, and it will arrive a second time.
    ArriveTwice(Request),
    /// This client makes its next read.
    Read(usize),
    /// A program that does not know the uniqueness rule writes this item.
    WriteItem(usize, Item),
    /// A restore of the table of guards sets this guard back to an earlier holder.
    RestoreGuard(Value, Option<usize>),
}

/// The most requests that a write needs if no other client writes: the first request, and one that names the holder of the guard.
const SOLO_REQUESTS: usize = 2;

impl UniqueValues {
    /// Returns every list of `count` choices.
    fn product<T: Clone>(choices: &[T], count: usize) -> Vec<Vec<T>> {
        (0..count).fold(vec![Vec::new()], |all, _| {
            all.iter()
                .flat_map(|begun| choices.iter().map(|choice| [begun.clone(), vec![choice.clone()]].concat()))
                .collect()
        })
    }

    fn item_choices(&self, begins_foreign: bool) -> Vec<Item> {
        let mut choices = vec![Item::Absent, Item::Tombstone, Item::with(None)];
        for value in 0..self.scope.values {
            choices.push(Item::with(Some(value)));
            choices.extend(begins_foreign.then(|| Item::foreign(Some(value))));
        }
        choices
    }

    fn holder_choices(&self) -> Vec<Option<usize>> {
        std::iter::once(None).chain((0..self.scope.items).map(Some)).collect()
    }

    /// Starts an operation of a client.
    fn begin(&self, state: &mut State, index: usize, operation: &Operation) -> Option<()> {
        let (rows, omitted) = (&state.rows, self.omitted);
        let client = match operation {
            Operation::Find(value) => Client::Finding(Reader::new(*value, rows)),
            Operation::Sweep(value) => {
                let (items, guard) = Operation::sweep(*value, rows, omitted)?;
                state.requests.push(Request { client: index, round: 0, items, guards: vec![guard] });
                Client::Done
            }
            operation => {
                let writes = operation.writes(rows, omitted)?;
                let holders = vec![None; usize::from(self.scope.values)];
                let claims = operation.claims(omitted);
                state.requests.push(compose((index, 0), &writes, claims, &holders, omitted));
                Client::Waiting { writes, claims, holders, round: 0 }
            }
        };
        state.clients[index] = client;
        Some(())
    }

    /// Applies a request, and gives its client the answer.
    fn arrive(&self, state: &mut State, request: &Request) {
        let answer = request.arrive(&mut state.rows);
        let index = request.client;
        let client = &mut state.clients[index];
        if !matches!(client, Client::Waiting { round, .. } if *round == request.round) {
            return;
        }
        let next = match answer {
            Ok(()) => Next::End,
            Err(denial) => client.denied(index, &denial, &state.rows, self.omitted),
        };
        match next {
            Next::Send(request) => return state.requests.push(request),
            Next::Taken(value) => state.refused_free_value |= !state.rows.is_held(value),
            Next::End => {}
        }
        *client = Client::Done;
    }

    /// Returns `true` if a client that runs alone can create each missing item with each free value, but with no value of an
    /// adopted item.
    fn free_values_can_be_claimed(&self, rows: &Rows) -> bool {
        let absent = (0..rows.items.len()).filter(|item| !rows.items[*item].is_live());
        let mut pairs = absent.flat_map(|item| (0..self.scope.values).map(move |value| (item, value)));
        pairs.all(|(item, value)| {
            let passes = self.solo(rows, &Operation::Create(item, value));
            if passes { !rows.is_adopted(value) } else { rows.is_held(value) }
        })
    }

    /// Returns `true` if a write succeeds while no other client writes.
    fn solo(&self, rows: &Rows, operation: &Operation) -> bool {
        let Some(writes) = operation.writes(rows, self.omitted) else { return false };
        let mut rows = rows.clone();
        let holders = vec![None; usize::from(self.scope.values)];
        let mut request = compose((0, 0), &writes, true, &holders, self.omitted);
        let mut client = Client::Waiting { writes, claims: true, holders, round: 0 };
        for _ in 0..SOLO_REQUESTS {
            let Err(denial) = request.arrive(&mut rows) else { return true };
            match client.denied(0, &denial, &rows, self.omitted) {
                Next::Send(next) => request = next,
                Next::End | Next::Taken(_) => return false,
            }
        }
        false
    }
}

impl Model for UniqueValues {
    type State = State;
    type Action = Action;

    /// Returns every state of the tables in which each adopted value has its guard. So the model tries each step in each of
    /// these states, whether or not an operation leads to the state.
    fn init_states(&self) -> Vec<State> {
        let Scope { items, values, clients, losses, foreign_writes, .. } = self.scope;
        let items = Self::product(&self.item_choices(self.scope.begins_foreign), items);
        let guards = Self::product(&self.holder_choices(), values.into());
        let rows = items
            .iter()
            .flat_map(|items| guards.iter().map(|guards| Rows { items: items.clone(), guards: guards.clone() }));
        rows.filter(Rows::is_guarded)
            .map(|rows| State {
                rows,
                clients: vec![Client::Idle; clients],
                requests: Vec::new(),
                losses,
                foreign_writes,
                refused_free_value: false,
            })
            .collect()
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for request in &state.requests {
            actions.push(Action::Arrive(request.clone()));
            if state.losses > 0 {
                actions.extend([Action::LoseAnswer(request.clone()), Action::ArriveTwice(request.clone())]);
            }
        }
        // Clients begin in order. Which client does which operation makes no difference, so the model tries only one order.
        if let Some(index) = state.clients.iter().position(|client| *client == Client::Idle) {
            let all = Operation::all(self.scope.items, self.scope.values);
            actions.extend(all.into_iter().map(|operation| Action::Begin(index, operation)));
        }
        for (index, client) in state.clients.iter().enumerate() {
            if matches!(client, Client::Finding(reader) if reader.answer.is_none()) {
                actions.push(Action::Read(index));
            }
        }
        if state.foreign_writes > 0 {
            for item in 0..self.scope.items {
                let rows = self.item_choices(true).into_iter().filter(|row| row.adopted().is_none());
                actions.extend(rows.map(|row| Action::WriteItem(item, row)));
            }
            for value in 0..self.scope.values {
                actions.extend(self.holder_choices().into_iter().map(|holder| Action::RestoreGuard(value, holder)));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Begin(index, operation) => self.begin(&mut state, index, &operation)?,
            Action::Arrive(request) => {
                state.requests.retain(|other| *other != request);
                self.arrive(&mut state, &request);
            }
            Action::LoseAnswer(request) => {
                state.losses -= 1;
                state.requests.retain(|other| *other != request);
                let _lost = request.arrive(&mut state.rows);
                state.clients[request.client] = Client::Done;
            }
            Action::ArriveTwice(request) => {
                state.losses -= 1;
                self.arrive(&mut state, &request);
            }
            Action::Read(index) => {
                if let Client::Finding(reader) = &mut state.clients[index] {
                    reader.read(&state.rows, self.omitted);
                }
            }
            Action::WriteItem(item, row) => {
                state.foreign_writes -= 1;
                state.rows.items[item] = row;
            }
            Action::RestoreGuard(value, holder) => {
                state.foreign_writes -= 1;
                state.rows.guards[usize::from(value)] = holder;
                for (index, item) in state.rows.items.iter_mut().enumerate() {
                    if item.value() == Some(value) && holder != Some(index) {
                        *item = Item::foreign(Some(value));
                    }
                }
            }
        }
        let State { rows, clients, .. } = &mut state;
        for client in clients {
            if let Client::Finding(reader) = client {
                reader.watch(rows);
            }
        }
        state.requests.sort();
        (state != *last).then_some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("each adopted value has its guard", |_, state: &State| state.rows.is_guarded()),
            Property::always("no two adopted items have one value", |model: &Self, state: &State| {
                (0..model.scope.values)
                    .all(|value| state.rows.items.iter().filter(|item| item.adopted() == Some(value)).count() <= 1)
            }),
            Property::always("no free value is refused", |_, state: &State| !state.refused_free_value),
            Property::always("exactly the free values can be claimed", |model: &Self, state: &State| {
                model.free_values_can_be_claimed(&state.rows)
            }),
            Property::always("a search is right at one moment of it", |_, state: &State| {
                state.clients.iter().all(|client| !matches!(client, Client::Finding(reader) if !reader.is_right()))
            }),
            // Without a takeover, the model would not test the rules of takeovers.
            Property::sometimes("a claim takes a guard over", |_, state: &State| {
                let claims = state.requests.iter().flat_map(|request| &request.guards);
                claims
                    .into_iter()
                    .any(|guard| guard.claimed_by.is_some_and(|claimant| guard.is_held_by_other(claimant)))
            }),
        ]
    }
}
