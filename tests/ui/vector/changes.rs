// A text and its embedding change together, and a search takes what its index takes.

use dyno::{Entity, Projection};

#[derive(Entity)]
#[index(name = "similar", vector = embedding, of(title), filter(brand), projection(title))]
struct Article {
    #[partition_key]
    id: String,
    title: String,
    brand: String,
    embedding: Option<[f32; 4]>,
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, of(title))]
struct Required {
    #[partition_key]
    id: String,
    title: String,
    embedding: [f32; 4],
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding)]
struct Alone {
    #[partition_key]
    id: String,
    embedding: [f32; 4],
}

#[derive(Projection)]
#[projection(of = Article)]
struct Title {
    title: String,
}

fn main() {
    let f = Article::fields();
    let _ = f.embedding.set([0.0; 4]);
    let f = Required::fields();
    let _ = f.title.set("new");
    let f = Required::fields();
    let _ = f.embedding.set([0.0; 4]);
    let f = Alone::fields();
    let _ = f.embedding.push(1.0f32);
    let _ = Alone::fields().embedding.set([0.0; 4]);
    let _ = Required::embed("1", "title", [0.0; 4]);
    let _ = Article::similar(&[0.0; 3]);
    let _ = Article::similar(vec![0.0; 4]);
    let _ = Article::similar([0.0; 4]).consistent();
    let _ = Article::similar([0.0; 4]).filter(Article::fields().brand.eq("x"));
    let _ = Article::similar([0.0; 4]).project::<Title>();
    let _ = Article::similar([0.0; 4]).descending();
}

async fn unprojected(repository: dyno::Repository) -> Result<(), dyno::Error> {
    let _ = Article::similar([0.0; 4]).send(&repository).await?;
    Ok(())
}
