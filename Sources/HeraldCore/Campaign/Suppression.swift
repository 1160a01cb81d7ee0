/// An audience that is left out of campaigns with certain tags: people who do not want that kind of message.
package struct Suppression: Hashable, Sendable {
    package var audience: Located<String>
    package var tags: Set<String>

    package init(_ audience: Located<String>, tags: Set<String>) { (self.audience, self.tags) = (audience, tags) }

    /// Whether a campaign with these tags goes without the audience.
    package func isFor(_ tags: some Sequence<String>) -> Bool { tags.contains(where: self.tags.contains) }
}

extension Campaign {
    /// All audiences whose members do not get it: those that it excludes, and those that `suppress` of the settings
    /// leaves out for its tags.
    package var without: [Located<String>] { exclude + suppressed }
}
