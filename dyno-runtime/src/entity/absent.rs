//! Methods that do not exist, with what to use instead: `field.is_none()`, `put.filter(…)`.
//!
//! Each is declared with a bound that nothing meets, whose message names the cure. So the compiler says that instead of "no
//! method named …", or of a name that only looks alike. What such a method returns is whatever the caller makes of it: the
//! compiler reports nothing more of that call.
//!
//! Functions of entities are not declared so: in the trait `Entity`, their names would be ambiguous where a user's own trait
//! has the same, and beside the generated ones, where the user's own `impl` has.

/// Declares the bounds, which are traits that nothing implements; and methods with them, for the types that lack the methods.
macro_rules! absent {
    ($($name:ident: $message:literal, $label:literal $(, $note:literal)*;)*) => {$(
        /// Nothing implements it.
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
