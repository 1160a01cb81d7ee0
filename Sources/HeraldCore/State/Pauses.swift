/// What a person has paused. It stays paused until a person resumes it.
package struct Pauses: Hashable, Sendable {
    package var everything = false
    package var campaigns: Set<String> = []

    package init() {}

    package func include(_ campaign: String) -> Bool { everything || campaigns.contains(campaign) }
}
