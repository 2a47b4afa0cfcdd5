//! Methods that do not exist, with a hint at what to use instead: `field.is_none()`, `put.filter(…)`.
//!
//! Each is declared with a bound that no type meets, and the bound's message gives the hint. So the compiler reports the hint,
//! instead of "no method named …" or a method whose name only looks similar. Such a method returns whatever type the caller
//! needs, so that the compiler reports nothing else about the call.
//!
//! Functions of entities are not declared this way. In the trait `Entity`, their names would be ambiguous if a user's own trait
//! has the same ones; beside the generated functions, if the user's own `impl` has.

/// Declares the bounds, which are traits that nothing implements, and methods with them for the types that lack the methods.
macro_rules! absent {
    ($($name:ident: $message:literal, $label:literal $(, $note:literal)*;)*) => {$(
        /// No type implements it.
        #[diagnostic::on_unimplemented(message = $message, label = $label $(, note = $note)*)]
        pub trait $name {
            /// Stands for the result.
            fn none<R>() -> R;
        }
    )*};
    ($([$($params:tt)*] $type:ty, $bound:ident {
        $($method:ident($($argument:ident),*): $name:ident;)*
    })*) => {$(
        #[doc(hidden)]
        #[allow(clippy::should_implement_trait, clippy::must_use_candidate, reason = "no call of it compiles")]
        impl<$($params)*> $type {$(
            #[allow(missing_docs, reason = "it does not exist")]
            pub fn $method<$($argument,)* R>(self, $(_: $argument),*) -> R
            where
                $bound: $name,
            {
                $bound::none()
            }
        )*}
    )*};
}

pub(crate) use absent;
