package import FCM

/// An FCM topic with the subscribers it should have.
package struct Topic: Hashable, Sendable {
    package var name: Located<TopicName>
    /// Audiences. The members of all of them are subscribed. If a file names none, the app subscribes its users itself:
    /// then this is empty, and nobody is pruned.
    package var subscribers: [Located<String>]
    package var exclude: [Located<String>] = []
    /// Whether managed members that the files no longer list are unsubscribed.
    package var prune = true
    package var drift = Drift.keep
    /// Whether whom others subscribed counts as herald's once the files list them.
    package var adopt = false
    /// Former names. The members that herald subscribed there move to the new name.
    package var previousNames: [Located<TopicName>] = []

    /// Whether the app subscribes its users itself, so that nobody can say how many they are.
    package var isOfApp: Bool { subscribers.isEmpty && !prune }

    /// What becomes of members that the files list and that left by themselves.
    package enum Drift: String, Hashable, Sendable, CaseIterable {
        /// They stay out.
        case keep
        /// They are subscribed again.
        case restore
    }
}
