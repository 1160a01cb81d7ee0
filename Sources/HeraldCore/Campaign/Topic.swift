package import FCM

/// An FCM topic with the subscribers it should have.
package struct Topic: Hashable, Sendable {
    package var name: Located<TopicName>
    /// Audiences; their union subscribes.
    package var subscribers: [Located<String>]
    package var exclude: [Located<String>] = []
    /// Whether members herald owns and the files no longer list are unsubscribed.
    package var prune = true
    /// What it was called before: whoever herald subscribed there moves here.
    package var previousNames: [Located<TopicName>] = []
}
