package import FCM

/// All that decides the messages of a campaign whose recipients get different ones: what its file says, and the fields
/// of the audience that it goes to.
package struct PersonalContent: Hashable, Sendable {
    /// The v1 message without its target, with placeholders. It is in the language `defaultLocale`.
    package var message: [String: JSONValue]
    /// The fields that the campaign uses, in the order of a row's `FieldValues`. A field without a column in the list
    /// is always missing.
    package var fields: [Field]
    /// The place among `fields` of the one that chooses the locale.
    package var localeField: Int?
    /// A tag of BCP 47. `nil` in a campaign without `locales`.
    package var defaultLocale: String?
    /// What each locale changes of the message (RFC 7396), by its tag as written.
    package var locales: [String: [String: JSONValue]] = [:]
    /// Sorted by name. Empty for a campaign without variants.
    package var variants: [Variant] = []
    /// What the keyed hash begins with: `split.seed`, or else the campaign's oldest name, `#` and its revision.
    package var seed: String
    /// The place among `fields` of the one that decides the variant. `nil` if the recipient key does.
    package var splitField: Int?

    package struct Variant: Hashable, Sendable {
        package var name: String
        /// At least 1. A variant's share is its weight among the sum of all.
        package var weight: Int
        /// Whether its recipients are planned and recorded, and sent nothing.
        package var isHoldout: Bool
        /// What it changes of the message, after the locale (RFC 7396).
        package var message: [String: JSONValue]
        /// What it changes of a locale's message, after `message`. Only for locales that the campaign has.
        package var locales: [String: [String: JSONValue]]

        package init(
            name: String, weight: Int, isHoldout: Bool = false, message: [String: JSONValue] = [:],
            locales: [String: [String: JSONValue]] = [:]
        ) {
            (self.name, self.weight, self.isHoldout) = (name, weight, isHoldout)
            (self.message, self.locales) = (message, locales)
        }
    }

    package init(message: [String: JSONValue], fields: [Field], seed: String) {
        (self.message, self.fields, self.seed) = (message, fields, seed)
    }
}
