/// What a person wants not to go out until they say so.
package struct Pauses: Hashable, Sendable {
    package var everything = false
    package var campaigns: Set<String> = []

    package init() {}

    package func include(_ campaign: String) -> Bool { everything || campaigns.contains(campaign) }
}
