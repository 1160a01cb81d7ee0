/// Why a query of somebody's database gave no list. It never holds a value that the database has.
package enum QueryError: Error, Hashable, Sendable {
    /// It took longer than it may.
    case timeout
    /// A signal asked herald to stop.
    case stopped
    /// There is more than `ListWriter.limit`.
    case tooLarge
    /// The list cannot be written: the disk may be full.
    case unwritable
    case repeatedColumn(String)
    /// It gives not exactly one value.
    case noValue
    /// - help: what to do, if that is known.
    case failed(String, help: String?)
}

/// When a query must end, whatever it does.
package struct QueryLimit: Sendable {
    package var deadline: ContinuousClock.Instant
    /// Whether a signal asked herald to stop.
    package var isStopped: @Sendable () -> Bool

    package init(_ deadline: ContinuousClock.Instant, isStopped: @escaping @Sendable () -> Bool) {
        (self.deadline, self.isStopped) = (deadline, isStopped)
    }

    /// `nil` while it may go on.
    package var reached: QueryError? {
        if isStopped() { return .stopped }
        return ContinuousClock.now >= deadline ? .timeout : nil
    }
}
