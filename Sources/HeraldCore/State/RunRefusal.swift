internal import FCM

/// What a guard refused while a run was at work. No plan names it, because only FCM's answers show it.
package struct RunRefusal: Hashable, Sendable {
    /// The guard's name.
    package var kind: String
    /// The step that it stopped. In a snapshot a digest of that, which may name a group.
    package var step: String
    /// In words that name nothing.
    package var finding: String

    package init(kind: String, step: String, finding: String) {
        (self.kind, self.step, self.finding) = (kind, step, finding)
    }

    var json: JSONValue { ["guard": .string(kind), "step": .string(step), "finding": .string(finding)] }

    /// `nil` for what no herald writes.
    init?(json: JSONValue) {
        guard let kind = json["guard"]?.string, let step = json["step"]?.string,
            let finding = json["finding"]?.string
        else { return nil }
        self.init(kind: kind, step: step, finding: finding)
    }
}
