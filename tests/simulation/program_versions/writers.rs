//! The writers of a `program`: what they send, and what they note of the answers.

/// The writer of a program whose rows have a version (`counted`) or none (`plain`).
macro_rules! writer {
    // With a version, a write never overwrites a state that its writer has not read.
    (counted) => {
        use dyno::Found;

        impl Row {
            #[allow(dead_code, reason = "of the newer of two programs")]
            pub(super) fn check_city(&self, seed: u64, id: &'static str, shared: &Shared) {
                shared.ledger().check_city(seed, id, self.version, &self.city);
            }
        }

        pub(super) async fn writer(seed: u64, repository: Repository, shared: Shared) {
            let (repository, shared) = (&repository, &shared);
            for _ in 0..WRITES {
                sleep(Duration::from_millis(fastrand::u64(0..300))).await;
                let id = IDS[fastrand::usize(..IDS.len())];
                let begun = shared.begin();
                let found = loop {
                    match Row::get((SHELF, id)).include_deleted().consistent().send(repository).await {
                        Ok(found) => break found,
                        Err(error) if is_newer(&error) => {
                            shared.note("get: newer");
                            break None;
                        }
                        Err(error) => assert!(!error.is_decode(), "{error:?}"),
                    }
                };
                match found {
                    Some(Found::Live(row)) => {
                        shared.ledger().check(seed, begun, &row.seen());
                        over(repository, shared, id, row).await;
                    }
                    Some(Found::Deleted(tombstone)) if fastrand::bool() => {
                        let write = shared.begin();
                        let row = Row { version: tombstone.version(), ..Row::new(id, write) };
                        let told = send!(shared, "undelete", repository, row.undelete());
                        whole(shared, id, write, &row, &told, |version| *version);
                    }
                    _ => {
                        let write = shared.begin();
                        let row = Row::new(id, write);
                        let told = match fastrand::bool() {
                            true => send!(shared, "create", repository, row.create()),
                            false => send!(shared, "put of new", repository, row.put()),
                        };
                        whole(shared, id, write, &row, &told, |version| *version);
                    }
                }
                if fastrand::u8(0..4) == 0 {
                    read(seed, repository, shared).await;
                }
            }
        }

        /// Notes a write of a whole row.
        fn whole<T>(
            shared: &Shared,
            id: &'static str,
            write: Begun,
            row: &Row,
            told: &Told<T>,
            version: impl FnOnce(&T) -> u64,
        ) {
            shared.city(id, &row.city, told, version);
            if matches!(told, Told::Applied(_)) {
                shared.acknowledge(write, Place::Log, row.life);
            }
        }

        /// Sends a random write to a row that was loaded.
        async fn over(repository: &Repository, shared: &Shared, id: &'static str, mut row: Row) {
            let write = shared.begin();
            let update = || Row::update((SHELF, id)).version(row.version);
            match fastrand::u8(0..14) {
                0..=2 => {
                    row.write(write);
                    let told = send!(shared, "put", repository, row.put());
                    whole(shared, id, write, &row, &told, |version| *version);
                }
                3 => {
                    row.write(write);
                    let told = send!(shared, "replace", repository, row.replace());
                    whole(shared, id, write, &row, &told, |version| *version);
                }
                4 | 5 => {
                    let told = send!(shared, "update", repository, logged(update(), write));
                    if let Told::Applied(_) = told {
                        shared.acknowledge(write, Place::Log, row.life);
                    }
                }
                6 => {
                    let city = CITIES[fastrand::usize(..CITIES.len())];
                    let told = send!(shared, "set", repository, update().with(Row::fields().city.set(city)));
                    shared.city(id, city, &told, |version| *version);
                }
                7 => {
                    let insert = update().with(Row::fields().tags.insert(write.number));
                    if let Told::Applied(_) = send!(shared, "insert", repository, insert) {
                        shared.acknowledge(write, Place::Tags, row.life);
                    }
                }
                8 | 9 => {
                    let unchecked = logged(Row::update((SHELF, id)).unchecked(), write).return_new();
                    if let Told::Applied(new) = send!(shared, "unchecked update", repository, unchecked) {
                        let row = new.decode().expect("what was updated can be read");
                        assert!(row.seen().log.contains(&write.number), "{row:?}");
                        shared.acknowledge(write, Place::Log, row.life);
                    }
                }
                10 | 11 => {
                    let city = Mutex::new(String::new());
                    let told = loop {
                        let modify = Row::modify((SHELF, id), |row| {
                            let coat = row.coat;
                            row.write(write);
                            // `modify` keeps attributes that the program does not know, so the coat stays the same.
                            row.coat = coat;
                            city.lock().expect("no panic").clone_from(&row.city);
                        });
                        let sent = modify.send(repository).await;
                        // A second send would be another change with the same number, so the city of the first may be stored,
                        // too.
                        if let Some(told) = told(shared, "modify", sent) {
                            break told;
                        }
                        shared.city::<()>(id, &city.lock().expect("no panic"), &Told::Unknown, |()| 0);
                    };
                    shared.city(id, &city.lock().expect("no panic"), &told, |row: &Row| row.version);
                    if let Told::Applied(row) = told {
                        shared.acknowledge(write, Place::Log, row.life);
                    }
                }
                12 => {
                    let transaction = Transaction::new().update(logged(update(), write));
                    if let Told::Applied(_) = send!(shared, "transaction", repository, transaction) {
                        shared.acknowledge(write, Place::Log, row.life);
                    }
                }
                _ => {
                    let _ended = send!(shared, "delete", repository, Row::delete((SHELF, id), row.version));
                }
            }
        }
    };

    // A put or a replace begins a new life, because it may overwrite a state that its writer has not read.
    (plain) => {
        impl Row {
            #[allow(dead_code, clippy::unused_self, reason = "nothing says which was the last")]
            pub(super) fn check_city(&self, _: u64, _: &'static str, _: &Shared) {}
        }

        pub(super) async fn writer(seed: u64, repository: Repository, shared: Shared) {
            let (repository, shared) = (&repository, &shared);
            for _ in 0..WRITES {
                sleep(Duration::from_millis(fastrand::u64(0..300))).await;
                let id = IDS[fastrand::usize(..IDS.len())];
                let write = shared.begin();
                match fastrand::u8(0..25) {
                    0 => {
                        let _ended = send!(shared, "put", repository, Row::new(id, write).put());
                        shared.answered(write);
                    }
                    1 => {
                        let _ended = send!(shared, "replace", repository, Row::new(id, write).replace());
                        shared.answered(write);
                    }
                    2..=5 => {
                        let _ended = send!(shared, "create", repository, Row::new(id, write).create());
                        shared.answered(write);
                    }
                    6 => loaded(seed, repository, shared, id, write).await,
                    7 => {
                        let _ended = send!(shared, "delete", repository, Row::delete((SHELF, id)));
                    }
                    8 => {
                        let update = logged(Row::update((SHELF, id)), write);
                        let _ended = send!(shared, "transaction", repository, Transaction::new().update(update));
                    }
                    9..=11 => {
                        let city = CITIES[fastrand::usize(..CITIES.len())];
                        let set = Row::update((SHELF, id)).with(Row::fields().city.set(city));
                        let _ended = send!(shared, "set", repository, set);
                    }
                    12..=15 => {
                        let insert = Row::update((SHELF, id)).with(Row::fields().tags.insert(write.number));
                        if let Told::Applied(new) = send!(shared, "insert", repository, insert.return_new()) {
                            let row = new.decode().expect("what was updated can be read");
                            shared.acknowledge(write, Place::Tags, row.life);
                        }
                    }
                    _ => {
                        let update = logged(Row::update((SHELF, id)), write).return_new();
                        if let Told::Applied(new) = send!(shared, "update", repository, update) {
                            let row = new.decode().expect("what was updated can be read");
                            assert!(row.seen().log.contains(&write.number), "{row:?}");
                            shared.acknowledge(write, Place::Log, row.life);
                        }
                    }
                }
                if fastrand::u8(0..4) == 0 {
                    read(seed, repository, shared).await;
                }
            }
        }

        /// Loads a row, changes it and puts it back, even if the stored row has changed in the meantime.
        async fn loaded(seed: u64, repository: &Repository, shared: &Shared, id: &'static str, write: Begun) {
            let begun = shared.begin();
            match Row::get((SHELF, id)).consistent().send(repository).await {
                Ok(Some(mut row)) => {
                    shared.ledger().check(seed, begun, &row.seen());
                    row.write(write);
                    row.life = write.number;
                    let _ended = send!(shared, "put of loaded", repository, row.put());
                }
                Ok(None) => {}
                Err(error) => assert!(is_newer(&error) || !error.is_decode(), "{error:?}"),
            }
            shared.answered(write);
        }
    };
}
