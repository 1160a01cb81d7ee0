/// What a device runs: it decides the form in which a message reaches it.
package enum Platform: String, Hashable, Sendable, CaseIterable {
    case ios, android, web
}
