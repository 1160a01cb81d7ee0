package import FCM

/// The last time that FCM was asked what is subscribed, and how much was not as the state has it.
package struct RecordedDrift: Hashable, Sendable {
    package var at: Date
    /// The registrations that were asked for.
    package var asked: Int
    /// Those among them that had left or joined by themselves.
    package var drifted: Int

    package init(at: Date, asked: Int, drifted: Int) {
        (self.at, self.asked, self.drifted) = (at, asked, drifted)
    }

    /// From 0 to 1.
    package var share: Double { asked == 0 ? 0 : Double(drifted) / Double(asked) }

    package var json: JSONValue {
        ["at": .string(at.rfc3339), "asked": .int(Int64(asked)), "drifted": .int(Int64(drifted))]
    }

    /// `nil` for what no herald writes.
    package init?(json: JSONValue) {
        guard let at = json["at"]?.string.flatMap({ Date(rfc3339: $0) }),
            let asked = json["asked"]?.int.flatMap({ Int(exactly: $0) }),
            let drifted = json["drifted"]?.int.flatMap({ Int(exactly: $0) }),
            asked >= 0, (0...asked).contains(drifted)
        else { return nil }
        self.init(at: at, asked: asked, drifted: drifted)
    }
}

extension RecordedState {
    /// `nil` if nobody has asked yet.
    package var lastDrift: RecordedDrift? {
        guard let text = notes[.lastDrift], let json = try? JSONValue(strictly: Array(text.utf8), depth: 4) else {
            return nil
        }
        return RecordedDrift(json: json)
    }
}

extension StateChange {
    package static func lastDrift(_ drift: RecordedDrift) -> StateChange { .note(.lastDrift, drift.json.compactText) }
}
