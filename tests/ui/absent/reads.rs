//! Methods that a search, a read by a unique value or a query of an index does not have.

use dyno::{Entity, Projection, Repository};
use std::time::Duration;

#[derive(Entity)]
#[entity(table = "articles")]
#[index(name = "similar", vector = embedding, filter(brand))]
#[index(name = "by_brand", partition = brand)]
struct Article {
    #[partition_key]
    id: String,
    #[unique]
    slug: String,
    brand: String,
    embedding: Option<[f32; 4]>,
}

#[derive(Projection)]
#[projection(of = Article)]
struct Brand {
    brand: String,
}

async fn reads(repository: &Repository) -> Result<(), dyno::Error> {
    let is_small = || Article::fields().brand.eq("x");
    let similar = || Article::similar([0.0; 4]);

    let _ = similar().limit(5).send(repository).await?;
    let _ = similar().take(5);
    let _ = similar().stream(repository);
    let _ = similar().count(repository).await?;
    let _ = similar().start_at(5);
    let _ = similar().descending();
    let _ = similar().consistent();
    let _ = similar().condition(is_small());
    let _ = similar().filter(is_small()).send(repository).await?;
    let _ = similar().sort_eq("x");
    let _ = similar().include_deleted();
    let _ = similar().loaded();
    let _ = similar().min_score(0.5);

    let _ = Article::get_by_slug("a").project::<Brand>().send(repository).await?;
    let _ = Article::get_by_slug("a").hedge(Duration::from_millis(20));
    let _ = Article::get_by_slug("a").request(repository)?;
    let _ = Article::get_by_slug("a").stream(repository);
    let _ = Article::get_by_slug("a").uncommitted();

    let _ = Article::by_brand("x").condition(is_small());
    let _ = Article::by_brand("x").loaded();
    let _ = Article::by_brand("x").reverse();
    let _ = Article::by_brand("x").take(5);
    Ok(())
}

fn main() {}
