//! The search of a vector index, if its feature is off: what the derive names, so that the compiler says which feature is needed.

use crate::attribute::{IntoField, KeyPart, Value};
use crate::entity::{AnyIndex, VectorIndex, absent};
use std::marker::PhantomData;

absent! {
    NeedsVectors: "`#[index(vector = …)]` needs the feature `vectors` of dyno-runtime", "the feature is off",
        "help: in Cargo.toml, add `vectors` to the features of `dyno-runtime`";
}

absent! {
    [I: VectorIndex, T] Search<I, T> {
        NeedsVectors: top(X) filter(X) within(X) project() hedge(X) request(X) send(X);
    }
}

pub struct Search<I: VectorIndex, T = <I as AnyIndex>::Entity>(PhantomData<fn() -> (I, T)>);

pub struct SearchFilter<I>(PhantomData<fn() -> I>);

impl<I: VectorIndex, T> Search<I, T> {
    pub fn __new(_: Option<&dyn KeyPart>, _: &impl Value) -> Self
    where
        for<'__absent> Self: NeedsVectors,
    {
        Self(PhantomData)
    }
}

impl<I: VectorIndex> SearchFilter<I> {
    pub fn __new<T: Value>(_: usize, _: impl IntoField<T>) -> Self {
        Self(PhantomData)
    }
}
