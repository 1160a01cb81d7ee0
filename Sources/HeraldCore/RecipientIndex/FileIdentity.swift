/// What tells a file from another, and from what it was before, without reading it.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    /// In bytes.
    var size: Int64
    /// When its content changed, and when anything about it did, in nanoseconds since 1970.
    var modified: Int64
    var changed: Int64

    /// Within so many nanoseconds a change may leave no trace in a file's times: some file systems count by two seconds.
    static let uncertainty: Int64 = 2_000_000_000

    /// Whether a change after `instant`, in nanoseconds since 1970, shows in the times. A file with a time to come
    /// proves nothing.
    func isSettled(at instant: Int64) -> Bool { max(modified, changed) < instant - Self.uncertainty }
}
