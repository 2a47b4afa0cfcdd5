//! Misuse does not compile, and the compiler says so in our words.

#[test]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("*/*.rs");
}
