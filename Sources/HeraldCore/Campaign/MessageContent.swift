package import FCM

/// What a send says: the same message for everybody, or one for each class of recipients with slots for their values.
/// Copies are cheap.
package struct MessageContent: Hashable, Sendable {
    /// Recipients who get the same message, apart from their own values.
    package struct RecipientClass: Hashable, Sendable {
        /// Its place among `MessageContent.classes`, and among those of `PersonalMessages`.
        let index: Int

        static let everybody = RecipientClass(index: 0)
    }

    private enum Kind: Hashable {
        case plain([String: JSONValue])
        case personal(PersonalMessages)
    }

    private let kind: Kind

    /// - Parameter message: The v1 message without its target, for everybody.
    package init(_ message: [String: JSONValue]) { kind = .plain(message) }

    package init(_ messages: PersonalMessages) { kind = .personal(messages) }

    /// The messages of a campaign whose recipients get different ones.
    package var personal: PersonalMessages? {
        if case .personal(let messages) = kind { messages } else { nil }
    }

    /// Every class that a recipient can be in, holdouts too.
    package var classes: [RecipientClass] {
        personal.map { $0.classes.indices.map(RecipientClass.init) } ?? [.everybody]
    }

    /// The classes whose recipients are sent something.
    package var sentClasses: [RecipientClass] {
        guard let personal else { return classes }
        return classes.filter { !personal.classes[$0.index].isHoldout }
    }

    /// The v1 message without its target. That of a personal campaign has its placeholders, and is empty for a holdout.
    func message(for recipients: RecipientClass) -> [String: JSONValue] {
        switch kind {
        case .plain(let message): message
        case .personal(let messages): messages.message(of: messages.classes[recipients.index])
        }
    }

    /// Whether recipients get different messages, so that FCM may refuse one recipient's and accept another's.
    package var differsByRecipient: Bool { personal != nil }

    /// The content for digests: equal if every recipient gets the same. A plain message is written as it is. A personal
    /// one is written without weights: they decide who is in which class, and not what a class gets.
    var json: JSONValue {
        switch kind {
        case .plain(let message): .object(message)
        case .personal(let messages): messages.content.json
        }
    }

    /// The bytes that count against FCM's limit, of the largest message that a device of the platform gets. A
    /// placeholder counts as it is written.
    package func largestSize(on platform: Platform) -> Int {
        sentClasses.map { DevicePayload.size(of: message(for: $0), on: platform) }.max() ?? 0
    }

    /// Whether a recipient gets a live activity, whose token is one device's.
    var hasLiveActivity: Bool {
        sentClasses.contains { message(for: $0)["apns"]?["live_activity_token"] != nil }
    }

    /// One recipient of each class that is sent something: who is shown in a preview. In a personal campaign the rows
    /// decide who is in a class, so no recipient is named here.
    func samples(of members: RecipientSet) -> [(recipients: RecipientClass, sample: RecipientID?)] {
        sentClasses.map { ($0, differsByRecipient ? nil : members.first { _ in true }) }
    }
}

extension PersonalContent {
    /// Everything that decides the messages of the classes. Weights and the seed decide who gets which, and that is
    /// frozen when an occurrence begins.
    fileprivate var json: JSONValue {
        let patches = { (locales: [String: [String: JSONValue]]) in
            JSONValue.object(locales.mapValues { .object($0) })
        }
        var parts: [String: JSONValue] = [
            "message": .object(message), "fields": .array(fields.map(\.json)), "locales": patches(locales),
        ]
        parts["locale"] = localeField.map { .string(fields[$0].name) }
        parts["default_locale"] = defaultLocale.map { .string($0) }
        guard !variants.isEmpty else { return .object(parts) }
        parts["variants"] = .object(
            variants.reduce(into: [:]) { all, variant in
                all[variant.name] = [
                    "holdout": .bool(variant.isHoldout), "message": .object(variant.message),
                    "locales": patches(variant.locales),
                ]
            })
        parts["split_by"] = splitField.map { .string(fields[$0].name) }
        return .object(parts)
    }
}

extension Field {
    fileprivate var json: JSONValue {
        var parts: [String: JSONValue] = [
            "name": .string(name), "type": .string(kind.rawValue), "column": .string(column),
        ]
        parts["max"] = maximum.map { .int(Int64($0)) }
        return .object(parts)
    }
}
