//! Methods that do not exist, each with a hint at what to use instead: `field.is_none()`, `put.filter(…)`.
//!
//! Such a method is declared with a bound that nothing meets, and the bound's message gives the hint. So the compiler reports
//! the hint, instead of "no method named …" or a method with a similar name. The method returns any type that the caller needs,
//! so that the compiler reports nothing else about the call. The bound has a lifetime, so that it is checked only at a call.
//!
//! The method takes `&mut self`, which the compiler tries last. So a method of the same name in a trait of the user's, or in
//! `Iterator`, comes before it.
//!
//! Generated code declares the functions that an entity lacks in an `impl` with the bound: there they collide with no function of
//! the same name in the user's own `impl`.

/// Declares the bounds, which are traits that nothing implements, and methods with them for the types that lack the methods.
macro_rules! absent {
    ($($name:ident: $message:literal, $label:literal $(, $note:literal)*;)*) => {$(
        /// No type implements it.
        #[diagnostic::on_unimplemented(message = $message, label = $label $(, note = $note)*)]
        pub trait $name {
            /// Stands for the result of a call.
            fn none<R>() -> R;
        }
    )*};
    ($($params:tt $type:ty { $($name:ident: $($method:ident($($argument:ident)?))*;)* })*) => {$($(
        $crate::entity::absent! { @methods $params $type, $name: $($method($($argument)?))* }
    )*)*};
    (@methods [$($params:tt)*] $type:ty, $name:ident: $($method:ident($($argument:ident)?))*) => {
        #[doc(hidden)]
        #[allow(missing_docs, reason = "the methods do not exist")]
        #[allow(clippy::must_use_candidate, reason = "no call of one compiles")]
        impl<$($params)*> $type {$(
            pub fn $method<$($argument,)? R>(&mut self, $(_: $argument)?) -> R
            where
                for<'__absent> Self: $name,
            {
                <Self as $name>::none()
            }
        )*}
    };
}

pub(crate) use absent;
