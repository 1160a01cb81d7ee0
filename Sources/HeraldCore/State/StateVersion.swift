/// A moment in the life of a state.
package struct StateVersion: Hashable, Sendable {
    package var lineage: String
    package var serial: Int64
    /// The last stamp. Reports of older heralds have none.
    package var stamp: Stamp?

    package init(lineage: String, serial: Int64, stamp: Stamp? = nil) {
        self.lineage = lineage
        self.serial = serial
        self.stamp = stamp
    }
}

extension RecordedState {
    package var version: StateVersion { StateVersion(lineage: identity.lineage, serial: serial, stamp: stamps.last) }
}
