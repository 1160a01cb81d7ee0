internal import FCM

extension ResourceReader {
    static let personalKeys = KeyTable(["fields", "locale", "default_locale", "bad_rows"])
    static let splitKeys = KeyTable(["seed", "by"])

    /// How the campaign's messages differ by recipient. `nil` if they do not.
    static func personal(
        _ campaign: Fields, message: [String: JSONValue], _ findings: inout Findings
    ) -> Personal? {
        guard let node = campaign["personal"] else {
            for key in ["locales", "variants", "split"] where campaign[key] != nil {
                findings.error(
                    .missingKey, "'\(key)' has no meaning without 'personal'", at: campaign.keyRange(key),
                    help: key == "locales"
                        ? "add personal: {locale: FIELD, default_locale: en}"
                        : "add personal: {}, or name in it the fields that texts use")
            }
            return nil
        }
        var personal = Personal()
        if let keys = Fields(node, "'personal'", personalKeys, &findings) {
            personal.fields = keys.strings("fields", &findings) ?? []
            reportRepeated(personal.fields, &findings)
            personal.locale = keys.string("locale", &findings)
            personal.defaultLocale = keys.string("default_locale", &findings)
            personal.badRows = keys.choice("bad_rows", &findings) ?? personal.badRows
        }
        if let tag = personal.defaultLocale, LanguageTag(tag.value) == nil {
            findings.diagnostics.append(.malformedTag(tag.value, at: tag.range))
        }
        personal.locales = campaign["locales"].map { locales($0, of: "locale", &findings) } ?? [:]
        personal.variants = campaign["variants"].map { variants($0, &findings) } ?? []
        personal.split = split(campaign, &findings)
        checkLocaleKeys(campaign, personal, &findings)
        checkLocales(campaign, personal, &findings)
        checkNumberOfMessages(campaign, message, &personal, &findings)
        return personal
    }

    private static func reportRepeated(_ names: [Located<String>], _ findings: inout Findings) {
        var first: [String: SourceRange] = [:]
        for name in names {
            guard let earlier = first.updateValue(name.range, forKey: name.value) else { continue }
            findings.diagnostics.append(
                .error(
                    .invalidValue, "field '\(name.value)' is named twice", at: name.range,
                    notes: [.init("first named here", at: earlier)]))
        }
    }

    /// Messages by language tag. A tag that is malformed or that stands there twice is reported.
    ///
    /// - Parameter owner: whose messages they are, in words.
    static func locales(
        _ node: Node, of owner: String, _ findings: inout Findings
    ) -> [String: [String: JSONValue]] {
        guard let entries = node.mapping else {
            findings.error(.wrongType, "'locales' must be a mapping, not \(node.kindName)", at: node.range)
            return [:]
        }
        if entries.isEmpty { findings.error(.invalidValue, "'locales' names no locale", at: node.range) }
        var locales: [String: [String: JSONValue]] = [:]
        var first: [LanguageTag: TextRange] = [:]
        for entry in entries {
            guard let tag = LanguageTag(entry.key) else {
                findings.diagnostics.append(.malformedTag(entry.key, at: findings.at(entry.keyRange)))
                continue
            }
            if let earlier = first[tag] {
                findings.diagnostics.append(
                    .error(
                        .localeTag, "'\(entry.key)' names the same locale as an earlier key",
                        at: findings.at(entry.keyRange),
                        notes: [.init("the same locale, \(tag)", at: findings.at(earlier))]))
                continue
            }
            first[tag] = entry.keyRange
            locales[entry.key] =
                Campaign.message(
                    from: entry.value, as: .patch, named: "the message of \(owner) '\(entry.key)'", &findings)?
                .value ?? [:]
        }
        return locales
    }

    private static func split(_ campaign: Fields, _ findings: inout Findings) -> Personal.Split {
        var split = Personal.Split()
        guard let node = campaign["split"] else { return split }
        if campaign["variants"] == nil {
            findings.error(
                .missingKey, "'split' has no meaning without 'variants'", at: campaign.keyRange("split"))
        }
        guard let keys = Fields(node, "'split'", splitKeys, &findings) else { return split }
        if let seed = keys.string("seed", &findings) {
            if seed.value.isEmpty {
                findings.diagnostics.append(.error(.invalidValue, "'seed' must not be empty", at: seed.range))
            }
            split.seed = seed.value
        }
        split.by = keys.string("by", &findings)
        return split
    }

    /// Texts in several languages need the field that chooses one, and the language of the message.
    private static func checkLocaleKeys(_ campaign: Fields, _ personal: Personal, _ findings: inout Findings) {
        guard campaign["locales"] != nil else { return }
        let place = campaign.keyRange("locales")
        if personal.locale == nil, campaign["personal"]?.mapping?.contains(where: { $0.key == "locale" }) == false {
            findings.error(
                .missingKey, "'locales' needs the field that chooses one", at: place,
                help: "name it under 'personal', as in locale: language")
        }
        if personal.defaultLocale == nil,
            campaign["personal"]?.mapping?.contains(where: { $0.key == "default_locale" }) == false
        {
            findings.error(
                .missingKey, "'locales' needs the language of the message itself", at: place,
                help: "name it under 'personal', as in default_locale: en")
        }
    }

    /// A locale's text is looked up among the campaign's `locales`. The message itself is in another language.
    private static func checkLocales(_ campaign: Fields, _ personal: Personal, _ findings: inout Findings) {
        let known = Set(personal.locales.keys.compactMap { LanguageTag($0) })
        let own = personal.defaultLocale.flatMap { LanguageTag($0.value) }
        for entry in campaign["locales"]?.mapping ?? [] where own != nil && LanguageTag(entry.key) == own {
            findings.error(
                .localeTag, "the message itself is in '\(entry.key)'", at: entry.keyRange,
                help: "move this text into 'message', or name another 'default_locale'")
        }
        for variant in campaign["variants"]?.mapping ?? [] {
            for entry in variant.value.mapping?.first(where: { $0.key == "locales" })?.value.mapping ?? [] {
                guard let tag = LanguageTag(entry.key), tag == own || !known.contains(tag) else { continue }
                findings.diagnostics.append(
                    .unknownLocale(entry, tag, of: variant.key, known, isOwn: tag == own, in: findings))
            }
        }
    }

    /// Each message is checked on its own, and held in memory.
    private static func checkNumberOfMessages(
        _ campaign: Fields, _ message: [String: JSONValue], _ personal: inout Personal, _ findings: inout Findings
    ) {
        let locales = personal.locales.count + 1
        let (all, isTooLarge) = locales.multipliedReportingOverflow(by: max(personal.variants.count, 1))
        let key = personal.variants.count > locales ? "variants" : "locales"
        let problem: String
        if isTooLarge || all > Personal.maximumMessages {
            problem = "locales and variants make more than \(Personal.maximumMessages) messages"
        } else if all > 1, all * (message.bytes + personal.largestChange) > Personal.maximumBytes {
            problem = "the messages of all locales and variants have more than 64 MiB together"
        } else {
            return
        }
        findings.error(
            .invalidValue, problem, at: campaign.keyRange(key), help: "divide the campaign into several")
        (personal.locales, personal.variants) = ([:], [])
    }
}

extension Personal {
    /// How many different messages a campaign may have.
    static let maximumMessages = 1000
    /// How large they may be together. What FCM takes is far smaller.
    fileprivate static let maximumBytes = 64 << 20

    /// At most so many bytes are changed in one message.
    fileprivate var largestChange: Int {
        let largest = { (locales: [String: [String: JSONValue]]) in locales.values.map(\.bytes).max() ?? 0 }
        return largest(locales) + (variants.map { $0.message.bytes + largest($0.locales) }.max() ?? 0)
    }
}

extension [String: JSONValue] {
    fileprivate var bytes: Int { JSONValue.object(self).jsonBytes }
}

extension Diagnostic {
    /// - Parameter isOwn: whether it is the language of the message itself.
    fileprivate static func unknownLocale(
        _ entry: Node.Entry, _ tag: LanguageTag, of variant: String, _ known: Set<LanguageTag>, isOwn: Bool,
        in findings: Findings
    ) -> Diagnostic {
        let parent = sequence(first: tag, next: \.parent).first { known.contains($0) }
        let add = "add it to the campaign's 'locales'"
        return .error(
            .localeTag,
            isOwn
                ? "the message itself is in '\(entry.key)'"
                : "variant '\(variant)' has locale '\(entry.key)', which the campaign's 'locales' do not have",
            at: findings.at(entry.keyRange),
            help: isOwn
                ? "move this text into the variant's own 'message'"
                : parent.map { "\(add), or write the variant's text for '\($0)'" } ?? add)
    }

    fileprivate static func malformedTag(_ tag: String, at range: SourceRange) -> Diagnostic {
        .error(
            .localeTag, "'\(tag)' is not a language tag", at: range,
            help: "write a language, and where it matters a script and a region, as in it, pt-BR or zh-Hant")
    }
}
