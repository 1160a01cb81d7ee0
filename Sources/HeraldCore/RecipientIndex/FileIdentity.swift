/// What tells a file from another file, and from an earlier version of itself, without reading it.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    /// In bytes.
    var size: Int64
    /// When the content last changed, and when anything about the file did, in nanoseconds since 1970.
    var modified: Int64
    var changed: Int64

    /// A change within this many nanoseconds may not show in a file's times: some file systems count in steps of 2
    /// seconds.
    static let uncertainty: Int64 = 2_000_000_000

    /// Whether a change after `instant` (nanoseconds since 1970) would show in the times. A file with a time in the
    /// future proves nothing.
    func isSettled(at instant: Int64) -> Bool { max(modified, changed) < instant - Self.uncertainty }
}
