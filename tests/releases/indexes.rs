//! Indexes change. The old release writes items of every kind that it may write.

use crate::release::releases;
use crate::table::{check, pairs};

releases! {
    title: (title: String = "a".into());
    empty_title: (title: String = String::new());
    optional_title: (title: Option<String> = Some("a".into()));
    no_title: (title: Option<String> = None);
    long_title: (title: String = "a".repeat(2049));
    likes: (likes: u64 = 7);
    default_likes: (#[attribute(default)] likes: u64 = 7);
    kind: { #[derive(Document, Debug, Clone, Copy, PartialEq)] pub enum Kind { Short } } (kind: Kind = Kind::Short);
    plain: ();

    by_title: [index(name = "by_title", partition = title)] (title: String = "a".into()),
        also { fn find(db: &Repository) -> Option<Found<'_>> { Some(Box::pin(async { Ok(Film::by_title("a").send(db).await?.items.len()) })) } };
    by_optional_title: [index(name = "by_title", partition = title)] (title: Option<String> = Some("a".into()));
    by_likes: [index(name = "by_likes", partition = likes)] (likes: u64 = 7),
        also { fn find(db: &Repository) -> Option<Found<'_>> { Some(Box::pin(async { Ok(Film::by_likes(7u64).send(db).await?.items.len()) })) } };
    by_default_likes: [index(name = "by_likes", partition = likes)] (#[attribute(default)] likes: u64 = 7),
        also { fn find(db: &Repository) -> Option<Found<'_>> { Some(Box::pin(async { Ok(Film::by_likes(7u64).send(db).await?.items.len()) })) } };
    by_new_optional: [index(name = "by_note", partition = note)] (note: Option<String> = Some("n".into()));
    by_kind: { #[derive(Document, Debug, Clone, Copy, PartialEq)] pub enum Kind { Short } }
        [index(name = "by_kind", partition = kind)] (kind: Kind = Kind::Short),
        also { fn find(db: &Repository) -> Option<Found<'_>> { Some(Box::pin(async { Ok(Film::by_kind(Kind::Short).send(db).await?.items.len()) })) } };
    titles: [index(name = "titles", query = by_title, partition = title)] (title: String = "a".into());
    by_likes_and_stars: [index(name = "by_likes", partition(likes, stars))] (likes: u64 = 7, stars: u64 = 3);
    stars: (likes: u64 = 7, stars: u64 = 3);
    keys_by_title: [index(name = "by_title", partition = title, projection = "keys")] (title: String = "a".into());
    found_by_title: [index(name = "by_title", query = titled, partition = title)] (title: String = "a".into());
    by_title_and_id: [index(name = "by_title", partition = title, sort = id)] (title: String = "a".into());
    by_template: [index(name = "by_title", query = by_title, partition(name = "IPK", template = "T#{title}"))] (title: String = "a".into()),
        also { fn find(db: &Repository) -> Option<Found<'_>> { Some(Box::pin(async { Ok(Film::by_title("a").send(db).await?.items.len()) })) } };
    by_other_template: [index(name = "by_title", query = by_title, partition(name = "IPK", template = "Title#{title}"))] (title: String = "a".into());
    key_by_hand: (title: String = "a".into(), #[attribute(rename = "IPK")] key: Option<String> = Some("t-a".into()));

    embedding: (title: String = "a".into(), embedding: Option<[f32; 2]> = Some([0.5, 0.5]));
    similar: [index(name = "similar", vector = embedding)] (title: String = "a".into(), embedding: Option<[f32; 2]> = Some([0.5, 0.5]));
    similar_of_title: [index(name = "similar", vector = embedding, of(title))] (title: String = "a".into(), embedding: Option<[f32; 2]> = Some([0.5, 0.5]));
    similar_by_euclid: [index(name = "similar", vector = embedding, metric = "euclidean")] (title: String = "a".into(), embedding: Option<[f32; 2]> = Some([0.5, 0.5]));
    similar_in_three: [index(name = "similar", vector = embedding)] (title: String = "a".into(), embedding: Option<[f32; 3]> = Some([0.5, 0.5, 0.5]));
    similar_keys: [index(name = "similar", vector = embedding, projection = "keys")] (title: String = "a".into(), embedding: Option<[f32; 2]> = Some([0.5, 0.5]));
    similar_in_title: [index(name = "similar", vector = embedding, partition = title)] (title: String = "a".into(), embedding: Option<[f32; 2]> = Some([0.5, 0.5]));
    numbered_embedding: (number: u64 = 7, embedding: Option<[f32; 2]> = Some([0.5, 0.5]));
    similar_in_number: [index(name = "similar", vector = embedding, partition = number)] (number: u64 = 7, embedding: Option<[f32; 2]> = Some([0.5, 0.5]));
    similar_with_title: [index(name = "similar", vector = embedding, filter(title))] (title: String = "a".into(), embedding: Option<[f32; 2]> = Some([0.5, 0.5]));
}

releases! { @keyed
    sorted: (#[partition_key] id: String = "1".into(), #[sort_key] at: u64 = 7, likes: u64 = 7, touched: Option<u64> = None);
    locally_by_likes: [index(name = "by_likes", local, sort = likes)]
        (#[partition_key] id: String = "1".into(), #[sort_key] at: u64 = 7, likes: u64 = 7, touched: Option<u64> = None);
}

pairs! {
    title => by_title: an_index_is_added Conditional, an_index_is_removed Conditional;
    empty_title => by_title: an_index_of_an_empty_text_is_added Conditional;
    long_title => by_title: an_index_of_a_long_text_is_added Conditional;
    optional_title => by_optional_title: an_index_of_an_optional_text_is_added Conditional;
    likes => by_likes: an_index_of_a_number_is_added Safe, an_index_of_a_number_is_removed Conditional;
    default_likes => by_default_likes: an_index_of_a_default_is_added Conditional;
    plain => by_default_likes: an_index_of_a_new_default_is_added Conditional;
    plain => by_new_optional: an_index_of_a_new_attribute_is_added Safe;
    kind => by_kind: an_index_of_variants_is_added Safe;
    by_title => keys_by_title: the_projection_of_an_index_changes Breaking;
    by_title => found_by_title: the_function_of_an_index_is_renamed Safe;
    by_title => titles: an_index_is_renamed Conditional;
    stars => by_likes_and_stars: an_index_of_several_numbers_is_added Safe;
    sorted => locally_by_likes: a_local_index_is_added Breaking, a_local_index_is_removed Conditional;
    by_title => by_title_and_id: an_index_gets_a_sort_key Breaking;
    title => by_template: an_index_with_a_template_is_added Conditional, an_index_with_a_template_is_removed Conditional;
    by_template => by_other_template: the_template_of_an_index_changes Breaking;
    key_by_hand => by_template: an_attribute_becomes_the_template_of_an_index Conditional;

    title => similar: a_vector_index_with_its_attribute_is_added Safe;
    embedding => similar: a_vector_index_is_added Safe, a_vector_index_is_removed Conditional;
    similar => similar_of_title: a_vector_is_coupled_to_a_text Conditional, a_vector_is_no_longer_coupled_to_a_text Conditional;
    title => similar_of_title: a_vector_of_a_text_is_added Conditional;
    similar => similar_by_euclid: the_metric_of_a_vector_index_changes Breaking;
    similar => similar_in_three: the_dimensions_of_a_vector_index_change Breaking;
    similar => similar_keys: the_projection_of_a_vector_index_changes Breaking;
    similar => similar_in_title: a_vector_index_gets_a_partition Breaking;
    similar => similar_with_title: a_vector_index_gets_a_filter Breaking;
    embedding => similar_in_title: a_vector_index_with_a_text_as_its_partition_is_added Conditional;
    numbered_embedding => similar_in_number: a_vector_index_with_a_number_as_its_partition_is_added Safe;
}

#[tokio::test(start_paused = true)]
async fn no_safe_change_of_indexes_is_contradicted_by_a_command() {
    check("indexes.txt", PAIRS).await;
}
