/// What a device runs. It decides in which form a message arrives.
package enum Platform: String, Hashable, Sendable, CaseIterable {
    case ios, android, web
}
