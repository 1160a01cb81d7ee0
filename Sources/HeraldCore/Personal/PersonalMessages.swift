package import FCM

/// The messages of a personal campaign, compiled: one for each class, with slots for a row's values.
package struct PersonalMessages: Sendable {
    /// What copies share.
    private let compiled: CompiledMessages

    /// What it was compiled from.
    package var content: PersonalContent { compiled.content }
    /// Every class that a recipient can be in, holdouts too, in ascending order.
    package var classes: [MessageClass] { compiled.classes }

    /// - Throws: The first placeholder that cannot be compiled. Loading has reported it before.
    package init(_ content: PersonalContent) throws(PersonalProblem) { compiled = try CompiledMessages(content) }

    /// The same messages, which share nothing with these.
    var copied: PersonalMessages { (try? PersonalMessages(content)) ?? self }

    /// The merged message of a class with its placeholders: message, locale, variant's message, variant's locale.
    /// Empty for a holdout.
    package func message(of recipients: MessageClass) -> [String: JSONValue] {
        index(of: recipients).map { compiled.messages[$0].json } ?? [:]
    }

    /// Checks a row over all variants of its locale, then chooses its class.
    ///
    /// - Parameter key: the recipient key, which decides the variant if no field does.
    package func judge(_ values: FieldValues, key: UnsafeRawBufferPointer) -> RowVerdict {
        compiled.check.layout.read(values) { compiled.check.verdict(on: $0, key: key) }
    }

    /// As above, for a row that is not kept.
    ///
    /// - Parameter bytes: as `FieldValues` packs them.
    func judge(_ bytes: UnsafeBufferPointer<UInt8>, key: UnsafeRawBufferPointer) -> RowVerdict {
        compiled.check.layout.read(bytes) { compiled.check.verdict(on: $0, key: key) }
    }

    /// Why a row makes no message in the text of a class that was chosen for it before. `nil` if it makes one.
    package func mistake(in values: FieldValues, for recipients: MessageClass) -> RowMistake? {
        guard let place = index(of: recipients) else { return nil }
        return compiled.check.layout.read(values) { compiled.check.mistake(in: $0, forClassAt: place) }
    }

    /// The locale that a row chooses, whether it makes a message or not. `nil` for the message itself.
    func locale(of values: FieldValues) -> String? {
        classes[compiled.check.layout.read(values) { compiled.check.classInLocale(of: $0) }].locale
    }

    /// Checks a sample over all variants of its locale, as a row. Without a value for the field that decides the variant
    /// it is in the first one.
    ///
    /// - Parameter key: the key of the recipient whose place it takes. Any key does where the variant does not matter.
    package func judge(
        sample values: FieldValues, key: UnsafeRawBufferPointer = .init(start: nil, count: 0)
    ) -> RowVerdict {
        compiled.check.layout.read(values) { compiled.check.verdict(on: $0, key: key, isSample: true) }
    }

    /// Judges the row or sample of a seed, who is there to see the message: in no holdout.
    func judge(seed values: FieldValues, key: UnsafeRawBufferPointer, isSample: Bool) -> RowVerdict {
        compiled.check.layout.read(values) {
            compiled.check.verdict(on: $0, key: key, isSample: isSample, mayBeHeldOut: false)
        }
    }

    /// The message of one recipient with its values filled in, as it is sent. Not for the send path, where it would be
    /// slow.
    package func rendered(_ values: FieldValues, for recipients: MessageClass) -> [String: JSONValue] {
        filled(values, for: recipients) { $0.write($1, $2, to: &$3) }
    }

    /// `rendered`, with marks in place of the values, as many as they have characters.
    package func redacted(_ values: FieldValues, for recipients: MessageClass) -> [String: JSONValue] {
        filled(values, for: recipients) { row, slot, style, bytes in
            var text: [UInt8] = []
            row.write(slot, style, to: &text)
            let isDefault = row.values[slot.field].isMissing
            bytes += isDefault ? text : Array(String(decoding: text, as: UTF8.self).redacted.utf8)
        }
    }

    /// The message of a class without a row: its defaults, and elsewhere the field's name in braces.
    package func outlined(for recipients: MessageClass) -> [String: JSONValue] {
        guard let place = index(of: recipients) else { return [:] }
        let outline = compiled.messages[place].template.filled { slot, bytes in
            bytes += slot.fallback ?? Array("{{ \(content.fields[slot.field].name) }}".utf8)
        }
        return outline.object ?? [:]
    }

    /// - Parameter write: appends what stands in a slot.
    private func filled(
        _ values: FieldValues, for recipients: MessageClass,
        _ write: (PersonalRow, MessageTemplate.Slot, LocaleStyle?, inout [UInt8]) -> Void
    ) -> [String: JSONValue] {
        guard let place = index(of: recipients) else { return [:] }
        let message = compiled.messages[place]
        return compiled.check.layout.read(values) { row in
            let style = row.style(in: message.language)
            return message.template.filled { write(row, $0, style, &$1) }.object ?? [:]
        }
    }

    /// The bytes of the requests for a class's recipients, with slots.
    ///
    /// - Parameter change: what is filled into the message before, such as its lifetime.
    /// - Throws: `PersonalProblem` for a class that is sent nothing.
    package func body(
        of recipients: MessageClass, validateOnly: Bool, _ change: ([String: JSONValue]) -> [String: JSONValue]
    ) throws -> PersonalBody {
        guard let place = index(of: recipients), !recipients.isHoldout else {
            throw PersonalProblem(path: [], words: "nothing is sent to this class of recipients")
        }
        let message = compiled.messages[place]
        let template = try MessageTemplate(
            change(message.json), fields: content.fields, isWritten: message.language != nil)
        return try PersonalBody(template, compiled.check.layout, language: message.language, validateOnly: validateOnly)
    }

    /// The place of a class among `classes`; `nil` for a class that the campaign does not have (any more).
    package func index(of recipients: MessageClass) -> Int? { compiled.places[recipients] }

    /// The text that a recorded one is now, where its language is only written in another way, or is that of the
    /// message itself by now. `nil` if it is gone.
    func text(of recorded: MessageClass) -> MessageClass? {
        classes.first {
            isLanguage($0.locale, of: recorded) && $0.variant == recorded.variant
                && $0.isHoldout == recorded.isHoldout
        }
    }

    /// The text of somebody whose recorded one is gone. The language and the variant stay where the campaign has them.
    ///
    /// - Parameter own: what their row chooses.
    func text(in recorded: MessageClass, else own: MessageClass) -> MessageClass {
        let locale = classes.first { isLanguage($0.locale, of: recorded) }.map(\.locale) ?? own.locale
        let hasVariant = classes.contains { $0.variant == recorded.variant }
        let variant = hasVariant ? recorded.variant : own.variant
        return classes.first { $0.locale == locale && $0.variant == variant } ?? own
    }

    private func isLanguage(_ locale: String?, of recorded: MessageClass) -> Bool {
        guard let tag = recorded.locale.flatMap({ LanguageTag($0) }) else { return locale == recorded.locale }
        return (locale ?? content.defaultLocale).flatMap { LanguageTag($0) } == tag
    }
}

extension PersonalMessages: Hashable {
    package static func == (one: PersonalMessages, other: PersonalMessages) -> Bool {
        one.compiled === other.compiled || one.content == other.content
    }
    package func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

extension String {
    /// Longer texts are counted.
    private static let shownMarks = 20

    /// A mark for each character: `▒▒▒▒`, or `▒×40`.
    fileprivate var redacted: String {
        count > Self.shownMarks ? "▒×\(count)" : String(repeating: "▒", count: count)
    }
}

/// The values behind `PersonalMessages`.
private final class CompiledMessages: Sendable {
    let content: PersonalContent
    let classes: [MessageClass]
    let places: [MessageClass: Int]
    /// By class.
    let messages: [Message]
    let check: RowCheck

    struct Message: Sendable {
        /// With its placeholders. Empty for a holdout.
        var json: [String: JSONValue]
        var template: MessageTemplate
        /// The language of its texts. `nil` if it is unknown.
        var language: LanguageTag?
    }

    init(_ content: PersonalContent) throws(PersonalProblem) {
        self.content = content
        let locales = [nil] + content.localeKeys.values.sorted().map(Optional.some)
        let variants: [PersonalContent.Variant?] = content.variants.isEmpty ? [nil] : content.variants
        let classes = variants.flatMap { variant in
            locales.map { MessageClass(locale: $0, variant) }
        }.sorted()
        self.classes = classes
        places = Dictionary(zip(classes, classes.indices)) { first, _ in first }
        var messages: [Message] = []
        for recipients in classes {
            let variant = variants.first { $0?.name == recipients.variant } ?? nil
            messages.append(try Self.message(of: content, recipients.locale, variant))
        }
        self.messages = messages
        check = try Self.check(of: content, locales, variants, classes, places, messages)
    }

    private static func message(
        of content: PersonalContent, _ locale: String?, _ variant: PersonalContent.Variant?
    ) throws(PersonalProblem) -> Message {
        let language = (locale ?? content.defaultLocale).flatMap { LanguageTag($0) }
        if let variant, variant.isHoldout {
            return Message(json: [:], template: .fixed([:]), language: language)
        }
        let json = content.merged(locale, variant)
        let template = try MessageTemplate(json, fields: content.fields, isWritten: language != nil)
        return Message(json: json, template: template, language: language)
    }

    private static func check(
        of content: PersonalContent, _ locales: [String?], _ variants: [PersonalContent.Variant?],
        _ classes: [MessageClass], _ places: [MessageClass: Int], _ messages: [Message]
    ) throws(PersonalProblem) -> RowCheck {
        let checks = locales.map { locale in
            let places = variants.compactMap { places[MessageClass(locale: locale, $0)] }
            let sent = places.filter { !classes[$0].isHoldout }.map { messages[$0] }
            return RowCheck.LocaleCheck(
                sending: sent.map(\.template), in: messages[places[0]].language, places: places)
        }
        return try RowCheck(
            content, checks, content.localeKeys.compactMapValues { locales.firstIndex(of: $0) },
            written: Set(messages.flatMap(\.template.slots).map(\.field)))
    }
}

extension MessageClass {
    /// - Parameter variant: `nil` in a campaign without variants.
    fileprivate init(locale: String?, _ variant: PersonalContent.Variant?) {
        self.init(locale: locale, variant: variant?.name, isHoldout: variant?.isHoldout ?? false)
    }
}
