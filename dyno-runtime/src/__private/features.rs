//! The functions that generated code calls if an attribute needs a feature.

#[doc(hidden)]
#[cfg(feature = "transactions")]
#[macro_export]
macro_rules! __transactional {
    () => {};
}

#[doc(hidden)]
#[cfg(not(feature = "transactions"))]
#[macro_export]
macro_rules! __transactional {
    () => {
        compile_error!(
            "`#[transactional]` needs the feature `transactions` of dyno-runtime\n\nhelp: in Cargo.toml, add `transactions` to the features of `dyno-runtime`"
        );
    };
}
