/// A moment in the life of a state. Two states of one lineage that differ have different serials.
package struct StateVersion: Hashable, Sendable {
    package var lineage: String
    package var serial: Int64

    package init(lineage: String, serial: Int64) {
        self.lineage = lineage
        self.serial = serial
    }
}

extension RecordedState {
    package var version: StateVersion { StateVersion(lineage: identity.lineage, serial: serial) }
}
