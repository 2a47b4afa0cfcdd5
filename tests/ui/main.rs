//! Misuse does not compile, and the compiler shows the messages of this crate.

#[test]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("*/*.rs");
}
