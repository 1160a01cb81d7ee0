/// The right of one run to write its work. The run with the newest lease may write intents and outcomes for every
/// recipient. A run that lost its lease can do no harm, because its commits are refused.
package struct WorkLease: Hashable, Sendable {
    /// The id of the run.
    package let holder: String
    /// A fencing number. Each lease of a state has a higher one than all earlier leases.
    package let epoch: Int64

    package init(holder: String, epoch: Int64) {
        self.holder = holder
        self.epoch = epoch
    }
}
