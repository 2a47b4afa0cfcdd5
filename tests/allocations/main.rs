//! Encoding allocates what code written by hand does, and decoding no more.

use dyno::Entity as _;
use dyno_tests::customer::{Customer, decode_by_hand, encode_by_hand};

/// How often something allocates, and how many bytes.
fn allocations(run: impl FnOnce()) -> (u64, u64) {
    let counted = allocation_counter::measure(run);
    (counted.count_total, counted.bytes_total)
}

#[test]
fn encode_and_decode_allocate_as_often_as_handwritten_code() {
    let customer = Customer::sample();
    // What happens once in a process has happened.
    drop(customer.__encode());
    let by_hand = allocations(|| drop(encode_by_hand(&customer)));
    let dyno = allocations(|| drop(customer.__encode().expect("encodes")));
    assert_eq!(dyno, by_hand, "encode");

    let (one, other) = (encode_by_hand(&customer), encode_by_hand(&customer));
    let by_hand = allocations(|| drop(decode_by_hand(one)));
    let dyno = allocations(|| drop(Customer::from_item(other).expect("decodes")));
    assert_eq!(dyno, by_hand, "decode");
}
