package import FCM

/// How the messages of a campaign differ by recipient: what its file says.
package struct Personal: Hashable, Sendable {
    /// The fields that its texts may use.
    package var fields: [Located<String>] = []
    /// The field that chooses the locale.
    package var locale: Located<String>?
    /// The language of the campaign's message. Every campaign with `locales` has one.
    package var defaultLocale: Located<String>?
    package var badRows: BadRows = .error
    /// What each locale changes of the message (RFC 7396), by its tag as written.
    package var locales: [String: [String: JSONValue]] = [:]
    /// Sorted by name.
    package var variants: [Variant] = []
    package var split = Split()

    /// What recipients get. `nil` until the fields are looked up, and if a placeholder is wrong, which is reported.
    package fileprivate(set) var content: MessageContent?

    package init() {}

    /// What happens to recipients whose row cannot make a message.
    package enum BadRows: String, Hashable, Sendable, CaseIterable {
        /// A guard refuses the campaign while there are any.
        case error
        case skip
    }

    package struct Variant: Hashable, Sendable {
        package var name: Located<String>
        /// At least 1. Its share is its weight among the sum of all.
        package var weight: Int
        /// Whether its recipients are planned and recorded, and sent nothing.
        package var isHoldout = false
        /// What it changes of the message, after the locale (RFC 7396).
        package var message: [String: JSONValue] = [:]
        /// What it changes of a locale's message, after `message`.
        package var locales: [String: [String: JSONValue]] = [:]

        package init(name: Located<String>, weight: Int) { (self.name, self.weight) = (name, weight) }
    }

    /// What decides who gets which variant.
    package struct Split: Hashable, Sendable {
        /// Campaigns of the same seed give everybody the same share. `nil` for a seed of its own.
        package var seed: String?
        /// The field with the same value for all devices of one person. `nil` if each installation counts by itself.
        package var by: Located<String>?

        package init() {}
    }

    /// The names of all fields that a row's values are needed for, each once.
    package var names: [Located<String>] {
        var seen: Set<String> = []
        return (fields + [locale, split.by].compactMap(\.self)).filter { seen.insert($0.value).inserted }
    }
}

extension Campaign {
    /// Looks up the fields that the campaign uses in those of its target's audience, and compiles the messages. Nothing
    /// happens to a campaign whose recipients all get the same.
    ///
    /// - Parameter declared: The fields of the audience. `nil` for registrations that stand in a file: they have no
    /// values at all. A field that is not declared has none either.
    /// - Returns: Why a text cannot be compiled. Then there is no content.
    @discardableResult package mutating func resolveFields(in declared: [Field]?) -> PersonalProblem? {
        guard let used = personal else { return nil }
        let known = Dictionary((declared ?? []).map { ($0.name, $0) }) { first, _ in first }
        let fields = used.names.map { name in
            known[name.value] ?? Field(name: name.value, kind: name.value == used.locale?.value ? .locale : .text)
        }
        let content = used.content(of: self, fields)
        do throws(PersonalProblem) {
            let messages = try PersonalMessages(content)
            personal?.content = MessageContent(messages)
            return nil
        } catch {
            personal?.content = nil
            return error
        }
    }

    /// What the keyed hash begins with. All occurrences of a revision share it, and so does a campaign that is renamed.
    fileprivate var seed: String {
        personal?.split.seed ?? drawSeed
    }
}

extension Personal {
    /// All that decides the messages of a campaign of this kind.
    func content(of campaign: Campaign, _ fields: [Field]) -> PersonalContent {
        let place = { (name: Located<String>?) in name.flatMap { name in fields.firstIndex { $0.name == name.value } } }
        var content = PersonalContent(message: campaign.message.value, fields: fields, seed: campaign.seed)
        (content.localeField, content.splitField) = (place(locale), place(split.by))
        content.defaultLocale = defaultLocale?.value
        content.locales = locales
        content.variants = variants.map {
            PersonalContent.Variant(
                name: $0.name.value, weight: $0.weight, isHoldout: $0.isHoldout, message: $0.message,
                locales: $0.locales)
        }
        return content
    }
}
