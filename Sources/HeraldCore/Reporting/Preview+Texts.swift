internal import FCM

/// Which text of a personal campaign a preview shows.
package struct ShownText: Hashable, Sendable {
    /// The default locale for the message itself. `nil` in a campaign without locales.
    package var locale: String?
    package var variant: String?
    /// The place of the sample that fills it, from 1.
    package var sample: Int?
    private var source: Source
    private var isNobodys = false

    /// As JSON names it.
    private enum Source: String { case placeholders, sample, row }

    /// `nil` for a campaign whose recipients all get the same.
    init?(_ text: ChosenText, of campaign: Campaign) {
        guard let messages = campaign.content.personal else { return nil }
        locale = text.recipients.locale ?? messages.content.defaultLocale
        variant = text.recipients.variant
        switch text.filling {
        case .placeholders: source = .placeholders
        case .nobody: (source, isNobodys) = (.placeholders, true)
        case .sample(let number, _): (source, sample) = (.sample, number)
        case .row: source = .row
        }
    }

    /// `locale it, variant a`.
    var words: String {
        let parts = [locale.map { "locale \($0)" }, variant.map { "variant \($0)" }].compactMap(\.self)
        return parts.isEmpty ? "the message" : parts.joined(separator: ", ")
    }

    /// `it, a`.
    var short: String {
        let parts = [locale, variant].compactMap(\.self)
        return parts.isEmpty ? "all" : parts.joined(separator: ", ")
    }

    /// `locale it, variant a, filled with sample 1`.
    var summary: String { "\(words), filled with \(filling)" }

    /// What its values are from, in words.
    var filling: String {
        switch source {
        case .placeholders: isNobodys ? "nothing: nobody gets this text" : "nothing: there is no sample"
        case .sample: "sample \(sample ?? 1)"
        case .row: "a row of the list"
        }
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "locale": locale.map { .string($0) } ?? .null, "variant": variant.map { .string($0) } ?? .null,
            "filled_with": .string(source.rawValue),
        ]
        members["sample"] = sample.map { .int(Int64($0)) }
        return .object(members)
    }
}

extension ChosenText {
    /// What its recipients get: the same for everybody who is shown. `nil` for another campaign.
    func message(of campaign: Campaign) -> [String: JSONValue]? {
        guard let messages = campaign.content.personal else { return nil }
        return values.map { messages.rendered($0, for: recipients) } ?? messages.outlined(for: recipients)
    }

    /// The recipient that the request names. A sample belongs to no recipient.
    package var members: RecipientSet {
        if case .row(let id, _) = filling { [id] } else { [] }
    }
}
