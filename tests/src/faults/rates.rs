//! How likely each fault is.

/// How likely each fault is.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// The request never arrives.
    pub lose_request: f64,
    /// The request is served, and its answer is lost.
    pub lose_answer: f64,
    /// The request is served, and once more later.
    pub duplicate: f64,
    /// Whether that comes at once for a plain write that was refused.
    ///
    /// Such a refusal is not final: what it is for can pass, as a transaction by intents that is given up. Then a copy of the
    /// request would be served, which nobody knows of that was told otherwise. What the SDK sends again, or the library, is
    /// known of: that comes whenever it does.
    pub final_refusals: bool,
    /// The request, and then its answer, take longer than usual.
    pub delay: f64,
    /// DynamoDB asks to slow down.
    pub throttle: f64,
    /// DynamoDB answers 500; whether it has served the request is left to chance.
    pub fail: f64,
    /// Another transaction holds the item.
    pub conflict: f64,
    /// The request is served, and the body of its answer cut.
    pub garble: f64,
    /// Something between answers in its own words; whether it has passed the request on is left to chance.
    pub intercept: f64,
    /// DynamoDB answers that the caller may not do that.
    pub deny: f64,
    /// Nobody is there to connect to.
    pub disconnect: f64,
    /// The request is not answered, and served later.
    pub late: f64,
    /// A request that the caller has dropped before it was served is served later.
    pub straggle: f64,
    /// By how many milliseconds at most.
    pub straggle_millis: u64,
}

impl Rates {
    /// No faults.
    pub const NONE: Self = Self {
        lose_request: 0.0,
        lose_answer: 0.0,
        duplicate: 0.0,
        final_refusals: false,
        delay: 0.0,
        throttle: 0.0,
        fail: 0.0,
        conflict: 0.0,
        garble: 0.0,
        intercept: 0.0,
        deny: 0.0,
        disconnect: 0.0,
        late: 0.0,
        straggle: 0.0,
        straggle_millis: 4000,
    };

    /// Every third request or so meets one.
    pub const MANY: Self = Self {
        lose_request: 0.05,
        lose_answer: 0.08,
        duplicate: 0.07,
        delay: 0.3,
        throttle: 0.04,
        fail: 0.05,
        conflict: 0.04,
        ..Self::NONE
    };

    /// Those, and everything else that can come between a client and DynamoDB.
    pub const ALL: Self =
        Self { garble: 0.03, intercept: 0.03, deny: 0.02, disconnect: 0.03, late: 0.04, ..Self::MANY };
}
