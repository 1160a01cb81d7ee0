/// Names a step of a plan. The same work always has the same name: `subscribe:TOPIC`, `adopt:TOPIC`,
/// `group_add:GROUP`, `send:OCCURRENCE`.
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
            // A group's name never contains a space, so the part cannot be taken for a piece of the name.
            StepID(rawValue: "\(work.action):\(change.group)" + (change.part > 1 ? " (\(change.part))" : ""))
        case .subscribe(let topic, _), .unsubscribe(let topic, _): StepID(rawValue: "\(work.action):\(topic)")
        case .adopt(let adoption): StepID(rawValue: "\(work.action):\(adoption.topic)")
        case .send(let send): .send(send.occurrence)
        }
    }
}
