/// Recipients who get the same text, apart from their own values.
package struct MessageClass: Hashable, Sendable, Comparable {
    /// The key among the campaign's `locales` whose text they get. `nil` for the message itself.
    package var locale: String?
    /// `nil` in a campaign without variants.
    package var variant: String?
    /// Whether they are sent nothing. The state keeps it, because the variant of a file may change.
    package var isHoldout: Bool

    package init(locale: String? = nil, variant: String? = nil, isHoldout: Bool = false) {
        (self.locale, self.variant, self.isHoldout) = (locale, variant, isHoldout)
    }

    package static func < (one: MessageClass, other: MessageClass) -> Bool {
        one.order < other.order
    }

    private var order: (String, String, Int) { (variant ?? "", locale ?? "", isHoldout ? 1 : 0) }

    /// What figures call the message itself in a campaign without locales.
    package static let unnamed = "message"

    /// The locale of those whose language the state does not know any more: undetermined, in BCP 47.
    package static let unknownLocale = "und"

    /// What figures call the locale.
    ///
    /// - Parameter language: the language of the message itself.
    package func localeName(default language: String?) -> String { locale ?? language ?? Self.unnamed }
}
