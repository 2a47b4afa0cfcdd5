//! Runs that are interrupted and resumed, shared by several processes, or refused before they begin.

use super::{Film, fill, film, like, live};
use dyno::{Checkpoint, Progress};
use dyno_tests::{pause, world};
use std::sync::{Arc, Mutex};

#[tokio::test]
async fn an_interrupted_run_resumes_from_its_checkpoint() {
    const FILMS: usize = 20;
    pause();
    let world = world::<Film>().await;
    fill(&world, FILMS).await;
    let mut saved: Option<String> = None;
    let mut writes = 0;
    // Each run dies at its request of this number, after that request is served or before.
    for (requests, served) in [(3, true), (7, false), (2, true), (9, true)] {
        let kept = Arc::new(Mutex::new(None));
        let command = Film::scan().parallel(3).modify_each(like);
        let command = command.after(saved.as_ref().map(|text| text.parse().expect("a checkpoint")));
        let save = Arc::clone(&kept);
        let command = command.on_progress(move |progress: &Progress| {
            *save.lock().expect("no panic") = Some(progress.checkpoint().to_string());
        });
        world.faults.dies_of(requests, served);
        let repository = world.repository.clone();
        let run = tokio::spawn(async move { command.send(&repository).await });
        world.faults.stopped().await;
        run.abort();
        let _aborted = run.await;
        world.faults.go_on();
        writes += requests;
        saved = kept.lock().expect("no panic").take().or(saved);
    }
    let checkpoint: Checkpoint = saved.expect("some way").parse().expect("a checkpoint");
    let done = Film::scan().parallel(3).modify_each(like).after(checkpoint).send(&world.repository).await;
    let done = done.expect("sent").completed().expect("no failure");
    // Each item counts once. Items that were written after the last saved checkpoint count as unchanged.
    assert_eq!(done.done_items(), FILMS as u64);
    assert!(usize::try_from(done.unchanged()).is_ok_and(|unchanged| unchanged <= writes) && done.is_finished());
    for id in 0..FILMS {
        let id = id.to_string();
        assert_eq!(live(&world.repository, &id).await, Some(Film { likes: 1, ..film(&id) }));
    }
    // A run from the final checkpoint sends no request.
    let metered = world.repository.metered();
    let again = Film::scan().parallel(3).modify_each(like).after(done.checkpoint().clone()).send(&metered).await;
    assert_eq!(again.expect("sent").done_items(), FILMS as u64);
    assert_eq!(metered.usage().requests, 0);
}

#[tokio::test]
async fn segments_of_several_processes_cover_the_table() {
    let world = world::<Film>().await;
    fill(&world, 9).await;
    let mut done = 0;
    for segment in 0..3 {
        let run = Film::scan().segment(segment, 3).modify_each(like).send(&world.repository).await.expect("sent");
        assert_eq!(run.changed(), run.done_items());
        done += run.completed().expect("no failure").done_items();
    }
    assert_eq!(done, 9);
}

#[tokio::test]
async fn a_run_with_contradictory_options_is_refused() {
    let world = world::<Film>().await;
    let repository = &world.repository;
    film("1").put().send(repository).await.expect("a put");
    let checkpoint =
        Film::scan().parallel(2).modify_each(like).send(repository).await.expect("sent").checkpoint().clone();
    let cursor = Film::scan().limit(1).send(repository).await.expect("a page").cursor;
    for (command, message) in [
        (
            Film::scan().limit(5).modify_each(like),
            "the command processes every item: leave `limit` out, or use a filter",
        ),
        (
            Film::scan().after(cursor).modify_each(like),
            "a cursor belongs to a read: to continue an earlier run, call `after` with its checkpoint after `modify_each`",
        ),
        (
            Film::scan().segment(0, 2).parallel(2).modify_each(like),
            "a scan reads one segment, or several in parallel: leave `segment` or `parallel` out",
        ),
        (
            Film::scan().modify_each(like).after(checkpoint),
            "the checkpoint covers 2 of 2 segments, and this scan 1 of 1, or other ones: continue with the same segments",
        ),
        (
            Film::scan().segment(3, 3).modify_each(like),
            "there is no segment 3 of 3: segments count from 0, and there are at most 1000000",
        ),
    ] {
        let error = command.send(repository).await.expect_err("it makes no sense");
        assert!(error.is_invalid_input());
        assert!(error.to_string().ends_with(message), "{error}");
    }
}
