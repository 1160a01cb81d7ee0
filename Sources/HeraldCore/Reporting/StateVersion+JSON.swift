package import FCM

extension StateVersion {
    var json: JSONValue { ["lineage": .string(lineage), "serial": .int(serial)] }

    /// `nil` if it is none that herald writes.
    package init?(json: JSONValue?) {
        guard let lineage = json?["lineage"]?.string, let serial = json?["serial"]?.int, (0..<1 << 62).contains(serial)
        else { return nil }
        self.init(lineage: lineage, serial: serial)
    }
}
