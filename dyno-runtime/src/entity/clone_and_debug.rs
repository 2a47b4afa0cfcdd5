//! `Clone` and `Debug` for types that hold no value of their type parameters.

/// Implements `Clone` and `Debug` for types that have their parameters only in a `PhantomData`. The derives would require both
/// traits of the parameters, too: a `Get<Order>` could only be cloned if `Order` can be. `Debug` shows the fields before the
/// semicolon.
macro_rules! clone_and_debug {
    ($([$($params:tt)*] $name:ident<$($argument:ident),*>: $($shown:ident),+; $($hidden:ident),*)*) => {$(
        impl<$($params)*> Clone for $name<$($argument),*> {
            fn clone(&self) -> Self {
                Self { $($shown: Clone::clone(&self.$shown),)+ $($hidden: Clone::clone(&self.$hidden),)* }
            }
        }

        impl<$($params)*> std::fmt::Debug for $name<$($argument),*> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($name))$(.field(&self.$shown))+.finish()
            }
        }
    )*};
}

pub(crate) use clone_and_debug;
