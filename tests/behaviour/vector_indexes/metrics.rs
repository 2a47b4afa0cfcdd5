//! The order, the direction and the limit of each metric, compared with a brute-force search.

use dyno::command::Matches;
use dyno::{BatchWrite, Entity, Projection, Repository};
use dyno_tests::{Engine, engine, world};

/// An entity of its own for each metric, because an index has only one metric.
macro_rules! metric {
    ($module:ident $metric:literal) => {
        mod $module {
            use super::*;

            #[derive(Entity)]
            #[entity(table = "points")]
            #[index(name = "near", vector = vector, metric = $metric, projection = "keys")]
            pub(super) struct Point {
                #[partition_key]
                id: u32,
                vector: [f32; 8],
            }

            #[derive(Projection)]
            #[projection(of = Point, index = PointNear)]
            pub(super) struct Id {
                id: u32,
            }

            pub(super) async fn put(repository: &Repository, vectors: &[[f32; 8]]) {
                let points = vectors.iter().zip(0..).map(|(vector, id)| Point { id, vector: *vector });
                let batch = points.fold(BatchWrite::new(), |batch, point| batch.add(point.put()));
                batch.send(repository).await.expect("a batch").applied().expect("all of it");
            }

            pub(super) async fn near(repository: &Repository, to: &[f32; 8], within: Option<f64>) -> Vec<(u32, f64)> {
                let search = Point::near(to).top(100).project::<Id>();
                let search = match within {
                    Some(limit) => search.within(limit),
                    None => search,
                };
                let found: Matches<Id> = search.send(repository).await.expect("a search");
                found.into_iter().map(|found| (found.item.id, found.score)).collect()
            }
        }
    };
}

metric!(cosine "cosine");
metric!(euclidean "euclidean");
metric!(dot_product "dot_product");

/// Pseudorandom numbers from -1 to 1, the same ones in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bits = u16::try_from(self.0 >> 48).expect("16 bits");
        f32::from(bits) / 32_768.0 - 1.0
    }

    fn vector(&mut self) -> [f32; 8] {
        std::array::from_fn(|_| self.next())
    }
}

fn dot(one: &[f32; 8], other: &[f32; 8]) -> f64 {
    one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
}

/// The ids and scores of the 100 closest vectors, found by computing the score of each.
fn brute_force(
    vectors: &[[f32; 8]],
    to: &[f32; 8],
    score: fn(&[f32; 8], &[f32; 8]) -> f64,
    is_higher_closer: bool,
) -> Vec<(u32, f64)> {
    let mut scores: Vec<(u32, f64)> = (0..).zip(vectors.iter().map(|vector| score(vector, to))).collect();
    scores.sort_by(|(_, one), (_, other)| if is_higher_closer { other.total_cmp(one) } else { one.total_cmp(other) });
    scores.truncate(100);
    scores
}

fn assert_same(found: &[(u32, f64)], expected: &[(u32, f64)]) {
    assert_eq!(found.len(), expected.len());
    // MiniStack rounds a score to 32 bits.
    let exactness = if engine() == Engine::Embedded { 1e-9 } else { 1e-6 };
    for ((id, score), (expected_id, expected_score)) in found.iter().zip(expected) {
        assert!((score - expected_score).abs() < exactness, "{id}: {score}, not {expected_id}: {expected_score}");
    }
    let ids = |scores: &[(u32, f64)]| scores.iter().map(|(id, _)| *id).collect::<Vec<_>>();
    assert_eq!(ids(found), ids(expected));
}

/// 10,000 vectors, ten searches with each metric.
macro_rules! compared {
    ($test:ident $module:ident, $score:expr, $is_higher_closer:literal) => {
        #[tokio::test]
        async fn $test() {
            let world = world::<$module::Point>().await;
            let mut numbers = Numbers(7);
            let vectors: Vec<[f32; 8]> = (0..10_000).map(|_| numbers.vector()).collect();
            $module::put(&world.repository, &vectors).await;
            for _ in 0..10 {
                let to = numbers.vector();
                let expected = brute_force(&vectors, &to, $score, $is_higher_closer);
                assert_same(&$module::near(&world.repository, &to, None).await, &expected);
                // A limit between the 50th and the 51st score.
                let limit = (expected[49].1 + expected[50].1) / 2.0;
                assert_same(&$module::near(&world.repository, &to, Some(limit)).await, &expected[..50]);
            }
        }
    };
}

compared!(cosine_finds_the_smallest_angles_first cosine,
    |one, other| 1.0 - dot(one, other) / (dot(one, one).sqrt() * dot(other, other).sqrt()), false);
compared!(euclidean_finds_the_smallest_distances_first euclidean, |one, other| {
    let difference: [f32; 8] = std::array::from_fn(|index| one[index] - other[index]);
    let exact: f64 = one.iter().zip(other).map(|(one, other)| (f64::from(*one) - f64::from(*other)).powi(2)).sum();
    debug_assert!((dot(&difference, &difference) - exact).abs() < 1e-3);
    exact.sqrt()
}, false);
compared!(dot_product_finds_the_largest_products_first dot_product, dot, true);
