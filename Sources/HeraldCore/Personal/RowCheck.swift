internal import FCM

/// What a row has to satisfy, compiled for each locale. The variants of a locale are checked together.
final class RowCheck: Sendable {
    /// A class, because one reference is counted faster than many.
    final class LocaleCheck: Sendable {
        /// Fields that some text uses without a default.
        let required: [Int]
        /// Those with a field that is alone at fault in the order of the fields, then the others.
        let links: [LinkSegment]
        /// Without the holdouts.
        let messages: [SizeBound]
        /// The language of its texts. `nil` if it is unknown.
        let language: LanguageTag?
        /// The places of its classes, by variant.
        let places: [Int]

        init(sending messages: [MessageTemplate], in language: LanguageTag?, places: [Int]) {
            let required = messages.flatMap(\.slots).filter { $0.fallback == nil }.map(\.field)
            self.required = Set(required).sorted()
            links = Set(messages.flatMap(\.texts).flatMap(LinkSegment.all)).sorted {
                ($0.field ?? .max) < ($1.field ?? .max)
            }
            self.messages = messages.map(SizeBound.init)
            (self.language, self.places) = (language, places)
        }
    }

    let layout: RowLayout
    /// The names of the fields.
    private let names: [String]
    /// The fields whose values must be right: all but those that only choose the locale or the variant.
    private let checked: [Int]
    /// By the place that `localePlaces` gives.
    private let locales: [LocaleCheck]
    private let localePlaces: [LanguageTag: Int]
    /// The same, where they are so few that comparing is quicker than hashing.
    private let fewPlaces: [(tag: LanguageTag, place: Int)]
    /// `nil` in a campaign without variants.
    private let split: Split?
    /// Deals those of the holdouts among the other variants.
    private let seedSplit: Split?
    private let splitField: Int?

    init(
        _ content: PersonalContent, _ locales: [LocaleCheck], _ localePlaces: [LanguageTag: Int], written: Set<Int>
    ) throws(PersonalProblem) {
        layout = RowLayout(content.fields, localeField: content.localeField)
        names = content.fields.map(\.name)
        let choosing = [content.localeField, content.splitField]
        checked = content.fields.indices.filter { written.contains($0) || !choosing.contains($0) }
        (self.locales, self.localePlaces) = (locales, content.localeField == nil ? [:] : localePlaces)
        fewPlaces = self.localePlaces.count > 16 ? [] : self.localePlaces.map { (tag: $0.key, place: $0.value) }
        let variants = content.variants
        split = variants.isEmpty ? nil : try Split(seed: content.seed, weights: variants.map(\.weight))
        seedSplit =
            variants.isEmpty
            ? nil : try Split(seed: content.seed, weights: variants.map { $0.isHoldout ? 0 : $0.weight })
        splitField = content.splitField
    }

    /// - Parameters:
    ///   - isSample: whether the row is a sample. It belongs to no recipient and needs no value that decides its
    ///     variant.
    ///   - mayBeHeldOut: whether the recipient may be in a holdout.
    func verdict(
        on row: PersonalRow, key: UnsafeRawBufferPointer, isSample: Bool = false, mayBeHeldOut: Bool = true
    ) -> RowVerdict {
        let locale = locales[place(of: row.locale)]
        var size = 0
        if let mistake = mistake(in: row, for: locale, size: &size) { return .bad(mistake) }
        guard let split = mayBeHeldOut ? split : seedSplit else { return .good(place: locale.places[0], size: size) }
        guard let splitField else { return .good(place: locale.places[split.variant(of: key)], size: size) }
        let unit = row[splitField]
        guard !unit.isEmpty else {
            guard isSample else { return .bad(mistake(.noSplit, splitField)) }
            return .good(place: locale.places[split.variant(at: 0)], size: size)
        }
        let variant = split.variant(
            of: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(row.bytes)[unit.indices]))
        return .good(place: locale.places[variant], size: size)
    }

    /// Why a row makes no message in the text of a class that was chosen for it before.
    ///
    /// - Parameter place: the place of the class.
    func mistake(in row: PersonalRow, forClassAt place: Int) -> RowMistake? {
        guard let locale = locales.first(where: { $0.places.contains(place) }) else { return nil }
        var size = 0
        return mistake(in: row, for: locale, size: &size)
    }

    /// The place of a class in the locale that a row chooses, whether it makes a message or not.
    func classInLocale(of row: PersonalRow) -> Int { locales[place(of: row.locale)].places[0] }

    /// The first mistake of a row in the texts of a locale, over all variants.
    ///
    /// - Parameter size: gets the bytes that count against FCM's limit, or more.
    private func mistake(in row: PersonalRow, for locale: LocaleCheck, size: inout Int) -> RowMistake? {
        if let field = locale.required.first(where: { row.values[$0].isMissing }) { return mistake(.missing, field) }
        if let mistake = mistake(in: row) { return mistake }
        if let link = locale.links.first(where: { $0.leadsElsewhere(row) }) { return mistake(.badURL, link.field) }
        size = locale.messages.reduce(0) { max($0, $1.longest(row)) }
        if size > DevicePayload.maximumSize {
            let style = row.style(in: locale.language)
            size = locale.messages.reduce(0) { max($0, $1.exact(row, style)) }
            guard size <= DevicePayload.maximumSize else { return mistake(.tooLarge, nil) }
        }
        return nil
    }

    /// The nearest locale that has a text, by BCP 47 look-up. The first one is the message itself.
    private func place(of tag: LanguageTag?) -> Int {
        guard localePlaces.count > 0 else { return 0 }
        var tag = tag
        while let wanted = tag {
            let place =
                fewPlaces.isEmpty ? localePlaces[wanted] : fewPlaces.first { $0.tag == wanted }?.place
            if let place { return place }
            tag = wanted.parent
        }
        return 0
    }

    /// The first mistake that a value has by itself: by kind, then by field.
    private func mistake(in row: PersonalRow) -> RowMistake? {
        var first: RowMistake.Kind?
        var at = 0
        for field in checked where !row.values[field].isMissing {
            guard let kind = layout.rules[field].mistake(in: row.values[field], row[field]) else { continue }
            if let earlier = first, earlier <= kind { continue }
            (first, at) = (kind, field)
        }
        return first.map { RowMistake(kind: $0, field: names[at]) }
    }

    private func mistake(_ kind: RowMistake.Kind, _ field: Int?) -> RowMistake {
        RowMistake(kind: kind, field: field.map { names[$0] })
    }
}

/// How large a message gets by a row's values.
final class SizeBound: Sendable {
    private let message: MessageTemplate
    private let slots: [MessageTemplate.SlotSize]
    /// The bytes without any value.
    private let base: Int

    init(_ message: MessageTemplate) {
        self.message = message
        slots = message.slots.map(\.size)
        base = Self.size(of: message.filled { _, _ in })
    }

    /// At least the bytes that count against FCM's limit, quickly: no platform has a slot twice.
    func longest(_ row: PersonalRow) -> Int { slots.reduce(base) { $0 + row.longest($1) } }

    /// The bytes that count against FCM's limit.
    func exact(_ row: PersonalRow, _ style: LocaleStyle?) -> Int {
        Self.size(of: message.filled { slot, bytes in row.write(slot, style, to: &bytes) })
    }

    private static func size(of message: JSONValue) -> Int {
        Platform.allCases.map { DevicePayload.size(of: message.object ?? [:], on: $0) }.max() ?? 0
    }
}
