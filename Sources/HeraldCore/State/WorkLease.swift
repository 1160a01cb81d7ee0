/// The right of one run to write down what it does: whoever has the newest lease may write intents and outcomes, for
/// every recipient. A run that lost it can do no harm, since its commits are refused.
package struct WorkLease: Hashable, Sendable {
    /// The run.
    package let holder: String
    /// A fencing number: each lease of a state has a higher one than those before it.
    package let epoch: Int64

    package init(holder: String, epoch: Int64) {
        self.holder = holder
        self.epoch = epoch
    }
}
