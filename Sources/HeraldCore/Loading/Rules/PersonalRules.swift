internal import FCM

/// The rules for the placeholders, locales and variants of one campaign. What its audience declares is checked by
/// `FieldUse`.
struct PersonalRules {
    let campaign: Campaign
    let personal: Personal
    let fields: Fields
    let parts: PersonalParts
    let content: PersonalContent

    init(_ campaign: Campaign, _ personal: Personal, _ fields: Fields) {
        (self.campaign, self.personal, self.fields) = (campaign, personal, fields)
        parts = PersonalParts(fields, campaign, personal)
        content = personal.content(of: campaign, personal.names.map { Field(name: $0.value) })
    }

    /// - Parameter isReadable: whether each part of the message is right on its own, so that they can be compared.
    func check(isReadable: Bool, _ findings: inout Findings) {
        checkTarget(&findings)
        guard isReadable else { return }
        let errors = findings.errors
        checkPlaceholders(&findings)
        // A placeholder that cannot be read may be the one that uses a field.
        if findings.errors == errors { checkUse(&findings) }
        checkHiddenLocales(&findings)
        checkSameVariants(&findings)
        PersonalClasses(self).check(&findings)
    }

    /// The keys of all locales, sorted.
    var locales: [String] { content.localeKeys.values.sorted() }

    /// The variants whose recipients are sent something. A campaign without variants has one, which is `nil`.
    var sent: [PersonalContent.Variant?] {
        content.variants.isEmpty ? [nil] : content.variants.filter { !$0.isHoldout }
    }

    private func checkTarget(_ findings: inout Findings) {
        let target = campaign.target.value
        guard target.isOneRequest(campaign.delivery) else { return }
        var help = "leave 'personal' out, and let the app translate: title_loc_key and body_loc_key"
        if case .group = target { help = "write delivery: {members: each}, or \(help)" }
        findings.error(
            .personalTarget, "a message to a \(target.named.key) is the same for everybody",
            at: fields.keyRange("personal"), help: help)
    }

    private func checkPlaceholders(_ findings: inout Findings) {
        let declared = Set(personal.fields.map(\.value))
        for part in parts.all {
            // Unknown fields are told with a suggestion below.
            let written = Set(part.templates.flatMap { $0.template.placeholders.map(\.field) })
            for problem in PlaceholderPlaces.problems(in: part.json, fields: written) {
                findings.error(.placeholder, problem.words, at: part.node.nearest(to: problem.path).range)
            }
            for (path, template) in part.templates {
                let place = part.node.nearest(to: path).range
                var told: Set<String> = []
                for field in template.placeholders.map(\.field) where !declared.contains(field) {
                    if told.insert(field).inserted { reportUnknown(field, at: place, &findings) }
                }
                if let field = template.placeholders.first(where: { isNeverUsed($0, in: part) })?.field {
                    findings.warning(
                        .defaultUnused, "the default of '\(field)' is never used", at: place,
                        help: field == personal.split.by?.value
                            ? "a row without '\(field)' is bad, because 'split' goes by it"
                            : "nobody gets the text of a locale without a locale")
                }
            }
        }
    }

    private func reportUnknown(_ field: String, at place: TextRange, _ findings: inout Findings) {
        let near = findings.advice.nearest(to: field, among: personal.fields.map(\.value))
        findings.error(
            .unknownField, "'personal' names no field '\(field)'", at: place,
            help: near.map { "did you mean '\($0)'?" } ?? "add it to the campaign's 'fields' under 'personal'")
    }

    private func isNeverUsed(_ placeholder: TextTemplate.Placeholder, in part: PersonalParts.Part) -> Bool {
        guard placeholder.fallback != nil else { return false }
        return placeholder.field == personal.split.by?.value
            || part.locale != nil && placeholder.field == personal.locale?.value
    }

    private func checkUse(_ findings: inout Findings) {
        let others = Set([personal.locale?.value, personal.split.by?.value].compactMap(\.self))
        let fieldNames = { (json: [String: JSONValue]) in
            Set(PersonalParts.templates(in: json).flatMap { $0.template.placeholders.map(\.field) })
        }
        let written = parts.all.reduce(into: Set()) { $0.formUnion(fieldNames($1.json)) }
        let uses = sent.flatMap { variant in
            ([nil] + locales).map { locale in (locale, fieldNames(content.merged(locale, variant))) }
        }
        for field in personal.fields {
            guard written.contains(field.value) else {
                if others.contains(field.value) { continue }
                findings.diagnostics.append(
                    .warning(
                        .fieldUnused, "no text uses field '\(field.value)'", at: field.range,
                        help: "write {{ \(field.value) }} where its value goes, or take it out of 'fields'"))
                continue
            }
            let without = uses.filter { !$0.1.contains(field.value) }.map {
                $0.0 ?? personal.defaultLocale?.value ?? ""
            }
            guard !locales.isEmpty, !without.isEmpty, without.count < uses.count else { continue }
            let names = Set(without).sorted()
            let shown = names.prefix(5).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 5 ? ", …" : "")
            if Set(uses.map { $0.0 ?? personal.defaultLocale?.value ?? "" }) == Set(names) { continue }
            findings.diagnostics.append(
                .warning(
                    .fieldSomeLocales, "only some locales use field '\(field.value)': not \(shown)", at: field.range))
        }
    }

    /// A variant's message is merged after the locale, so it would replace every translation: of what people read in all
    /// locales, of the rest in those that give it.
    private func checkHiddenLocales(_ findings: inout Findings) {
        let translated = parts.all.filter { $0.variant == nil }.compactMap { part in
            part.locale.map { (name: $0, texts: GivenTexts(part.json)) }
        }
        guard !translated.isEmpty else { return }
        for part in parts.all where part.variant != nil && part.locale == nil {
            let given = Dictionary(
                parts.all.filter { $0.variant == part.variant }.compactMap { own in
                    own.locale.flatMap { LanguageTag($0) }.map { ($0, GivenTexts(own.json)) }
                }
            ) { first, _ in first }
            for text in PlaceholderPlaces.texts(in: part.json) where !findings.isFull {
                let missing = translated.filter { locale in
                    (text.place == .text || locale.texts.include(text.path))
                        && LanguageTag(locale.name).flatMap { given[$0] }?.include(text.path) != true
                }
                guard let first = missing.first?.name else { continue }
                let others = missing.count > 1 ? " and \(count(missing.count - 1, "other locale"))" : ""
                findings.error(
                    .variantHidesLocale,
                    "variant '\(part.variant ?? "")' replaces '\(text.path.joined(separator: "."))' "
                        + "and does not give it for locale '\(first)'\(others)",
                    at: part.node.nearest(to: text.path).range,
                    help: "add it to the variant's own 'locales'")
            }
        }
    }

    private func checkSameVariants(_ findings: inout Findings) {
        var first: [[[String: JSONValue]]: String] = [:]
        for var variant in content.variants where !variant.isHoldout {
            let name = variant.name
            // Without the name that joins the analytics labels.
            variant.name = ""
            let messages = ([nil] + locales).map { content.merged($0, variant) }
            guard let other = first[messages] else {
                first[messages] = name
                continue
            }
            guard let place = personal.variants.first(where: { $0.name.value == name })?.name.range else { continue }
            findings.diagnostics.append(
                .warning(
                    .variantSame, "variant '\(name)' is the same as '\(other)'", at: place,
                    help: "give it a message of its own, or add its weight to that of '\(other)'"))
        }
    }
}

extension ResourceReader {
    /// - Parameter isReadable: whether each part of the message is right on its own.
    static func checkPersonal(
        _ fields: Fields, of campaign: Campaign, isReadable: Bool, _ findings: inout Findings
    ) {
        guard let personal = campaign.personal else { return }
        PersonalRules(campaign, personal, fields).check(isReadable: isReadable, &findings)
    }
}

/// The places of the texts in a change of a message.
private struct GivenTexts {
    private var paths: Set<[String]> = []
    private var beginnings: Set<[String]> = []

    init(_ json: [String: JSONValue]) {
        for found in PlaceholderPlaces.texts(in: json) {
            paths.insert(found.path)
            for length in found.path.indices { beginnings.insert(Array(found.path[..<length])) }
        }
    }

    /// Whether there is a text at the path, or above or below it: an alert may be a text, or have a title.
    func include(_ path: [String]) -> Bool {
        beginnings.contains(path) || (1...path.count).contains { paths.contains(Array(path[..<$0])) }
    }
}
