/// Names a step of a plan; the same for the same work: `subscribe:TOPIC`, `group_add:GROUP`, `send:OCCURRENCE`.
package struct StepID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package static func send(_ occurrence: OccurrenceID) -> StepID { StepID(rawValue: "send:\(occurrence)") }

    package var description: String { rawValue }
}

extension Plan.Step {
    package var id: StepID {
        switch work {
        case .group(let change):
            // No group's name has a space in it.
            StepID(rawValue: "\(work.action):\(change.group)" + (change.part > 1 ? " (\(change.part))" : ""))
        case .subscribe(let topic, _), .unsubscribe(let topic, _): StepID(rawValue: "\(work.action):\(topic)")
        case .send(let send): .send(send.occurrence)
        }
    }
}
