//! Methods that do not exist, each with a hint at what to use instead: `field.is_none()`, `put.filter(…)`.
//!
//! Such a method is declared with a bound that no type meets, and the bound's message gives the hint. So the compiler reports
//! the hint, instead of "no method named …" or a method with a similar name. The method returns any type that the caller needs,
//! so that the compiler reports nothing else about the call.
//!
//! Functions of entities are not declared this way, because their names could be ambiguous: in the trait `Entity`, with those
//! of a user's own trait; beside the generated functions, with those of the user's own `impl`.

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
