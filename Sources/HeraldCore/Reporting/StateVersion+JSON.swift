package import FCM

extension StateVersion {
    var json: JSONValue {
        let stamped: [String: JSONValue] = stamp.map { ["stamp": $0.json] } ?? [:]
        return .object(stamped.merging(["lineage": .string(lineage), "serial": .int(serial)]) { $1 })
    }

    /// `nil` if it is none that herald writes.
    package init?(json: JSONValue?) {
        guard let lineage = json?["lineage"]?.string, let serial = json?["serial"]?.int, (0..<1 << 62).contains(serial)
        else { return nil }
        self.init(lineage: lineage, serial: serial, stamp: Stamp(json: json?["stamp"]))
    }
}

extension Stamp {
    package var json: JSONValue { ["number": .int(number), "id": .string(id)] }

    /// `nil` if it is none that herald writes.
    package init?(json: JSONValue?) {
        guard let id = json?["id"]?.string, let number = json?["number"]?.int, Stamps.numbers.contains(number) else {
            return nil
        }
        self.init(number: number, id: id)
    }
}
