internal import FCM

extension JSONValue {
    /// RFC 7396: members of the patch replace those of the same name, `null` removes one, and anything but an object
    /// replaces the whole.
    func merging(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members = object ?? [:]
        for (key, change) in changes {
            if change == .null {
                members.removeValue(forKey: key)
            } else {
                members[key] = (members[key] ?? .null).merging(change)
            }
        }
        return .object(members)
    }
}

extension [String: JSONValue] {
    /// RFC 7396, with a patch for the message as a whole.
    func merging(_ patch: [String: JSONValue]) -> Self {
        patch.isEmpty ? self : JSONValue.object(self).merging(.object(patch)).object ?? [:]
    }

    /// The message with its variant's name in the analytics labels that its author set.
    func labelled(_ variant: String) -> Self {
        var message = self
        message.label(variant)
        for platform in ["android", "android_v2", "apns", "webpush"] {
            guard var part = message[platform]?.object else { continue }
            part.label(variant)
            message[platform] = .object(part)
        }
        return message
    }

    private mutating func label(_ variant: String) {
        guard var options = self["fcm_options"]?.object, let label = options["analytics_label"]?.string else { return }
        options["analytics_label"] = .string("\(label)_\(variant)")
        self["fcm_options"] = .object(options)
    }
}

extension PersonalContent {
    /// Every locale that gives a text of its own, by its key. Variants have no others.
    var localeKeys: [LanguageTag: String] {
        let keys = locales.keys.sorted().compactMap { key in LanguageTag(key).map { ($0, key) } }
        return Dictionary(keys) { first, _ in first }
    }

    /// What recipients of a locale and a variant get: message, locale, variant's message, variant's locale. The
    /// variant's name joins the analytics labels.
    func merged(_ locale: String?, _ variant: Variant?) -> [String: JSONValue] {
        var message = message.merging(locale.flatMap { Self.patch(for: $0, in: locales) } ?? [:])
        guard let variant else { return message }
        message = message.merging(variant.message)
        message = message.merging(locale.flatMap { Self.patch(for: $0, in: variant.locales) } ?? [:])
        return message.labelled(variant.name)
    }

    /// Keys may be written differently in a variant.
    private static func patch(
        for locale: String, in patches: [String: [String: JSONValue]]
    ) -> [String: JSONValue]? {
        if let patch = patches[locale] { return patch }
        let tag = LanguageTag(locale)
        return patches.sorted { $0.key < $1.key }.first { LanguageTag($0.key) == tag }?.value
    }
}
