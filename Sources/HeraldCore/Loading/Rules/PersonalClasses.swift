internal import FCM

/// Checks the message of every class of a personal campaign as any other message. A mistake is reported once, where the
/// text was written that makes it.
struct PersonalClasses {
    private let rules: PersonalRules

    init(_ rules: PersonalRules) { self.rules = rules }

    /// One class's message.
    private struct Whole {
        var locale: String?
        var variant: String?
        var draft: MessageDraft

        var words: String {
            [locale.map { "locale '\($0)'" }, variant.map { "variant '\($0)'" }].compactMap(\.self)
                .joined(separator: " and ")
        }
    }

    func check(_ findings: inout Findings) {
        let wholes = rules.sent.flatMap { variant in
            ([nil] + rules.locales).compactMap { locale -> Whole? in
                guard let node = rules.parts.node(locale, variant?.name) else { return nil }
                let draft = MessageDraft(node: node, json: rules.content.merged(locale, variant))
                return Whole(locale: locale, variant: variant?.name, draft: draft)
            }
        }
        var found: [Diagnostic: (first: Whole, number: Int)] = [:]
        for whole in wholes where !findings.isFull {
            var own = Findings(file: findings.file)
            whole.draft.checkParts(&own)
            whole.draft.checkLabels(whole.variant, &own)
            for diagnostic in own.diagnostics { found[diagnostic, default: (whole, 0)].number += 1 }
        }
        for (diagnostic, (first, number)) in found {
            findings.diagnostics.append(number == wholes.count ? diagnostic : diagnostic.noting(first.words))
        }
        checkSize(of: wholes, &findings)
        checkCuts(in: wholes, &findings)
    }

    /// Only the largest is reported: who shortens it looks at the others too. What values add is checked row by row.
    private func checkSize(of wholes: [Whole], _ findings: inout Findings) {
        let filled = wholes.map { whole in
            var whole = whole
            whole.draft = MessageDraft(node: whole.draft.node, json: whole.draft.json.shortest)
            return whole
        }
        let sizes = filled.map { whole in
            Platform.allCases.map { DevicePayload.size(of: whole.draft.json, on: $0) }.max() ?? 0
        }
        guard let largest = zip(filled, sizes).max(by: { $0.1 < $1.1 })?.0 else { return }
        var own = Findings(file: findings.file)
        PayloadSize(largest.draft).check(&own)
        findings.diagnostics += own.diagnostics.map { wholes.count > 1 ? $0.noting(largest.words) : $0 }
    }

    /// Texts that a platform cuts in one locale, although it does not cut those of the message.
    private func checkCuts(in wholes: [Whole], _ findings: inout Findings) {
        var told: Set<TextRange> = []
        for variant in Set(wholes.map(\.variant)) {
            let mine = wholes.filter { $0.variant == variant }
            guard let base = mine.first(where: { $0.locale == nil }) else { continue }
            let whole = Dictionary(NotificationMock.all(for: base.draft.json.shortest).map { ($0.surface, $0) }) {
                first, _ in first
            }
            for other in mine {
                guard let locale = other.locale else { continue }
                for mock in NotificationMock.all(for: other.draft.json.shortest) {
                    for (name, text, known) in [
                        ("title", mock.title, whole[mock.surface]?.title),
                        ("body", mock.body, whole[mock.surface]?.body),
                    ] {
                        guard let text, text.isCut, known?.isCut != true else { continue }
                        let place = other.draft.place(of: name, on: mock.surface.platform)
                        guard told.insert(place).inserted else { continue }
                        findings.warning(
                            .localeCut,
                            "the \(name) in '\(locale)' is cut on \(mock.surface.words): "
                                + "\(count(text.hidden, "character")) do not fit", at: place,
                            help: "shorten the \(name); that of the message itself fits")
                    }
                }
            }
        }
    }
}

extension Diagnostic {
    /// With a note that says in which message the mistake is.
    fileprivate func noting(_ words: String) -> Diagnostic {
        guard !words.isEmpty else { return self }
        var copy = self
        copy.notes.append(.init("in the message of \(words)", at: range))
        return copy
    }
}

extension MessageDraft {
    /// An analytics label with the variant's name is at most as long as any label.
    fileprivate func checkLabels(_ variant: String?, _ findings: inout Findings) {
        if variant == nil { return }
        for path in [[], ["android"], ["android_v2"], ["apns"], ["webpush"]] {
            let path = path + ["fcm_options", "analytics_label"]
            guard let label = value(at: path[...])?.string, label.utf8.count > 50 else { continue }
            findings.error(
                .analyticsLabel, "the label has more than 50 characters with the variant's name behind it",
                at: node.nearest(to: path).range, help: "shorten the label or the variant's name")
        }
    }

    /// Where the title or body is written that a platform shows.
    fileprivate func place(of name: String, on platform: Platform) -> TextRange {
        let own: [[String]] =
            switch platform {
            case .android: [AndroidPart(of: json).notification + [name]]
            case .ios: [["apns", "payload", "aps", "alert", name], ["apns", "payload", "aps", "alert"]]
            case .web: [["webpush", "notification", name]]
            }
        let paths = own + [["notification", name]]
        return node.nearest(to: paths.first { value(at: $0[...])?.string != nil } ?? []).range
    }
}

extension [String: JSONValue] {
    /// The message with every default in place of its placeholder, and nothing in place of the others.
    fileprivate var shortest: Self { mapValues(\.shortest) }
}

extension JSONValue {
    fileprivate var shortest: JSONValue {
        switch self {
        case .string(let text):
            guard TextTemplate.isTemplate(text), let template = try? TextTemplate(parsing: text) else { return self }
            let parts = template.parts.map { part in
                switch part {
                case .literal(let text): text
                case .placeholder(let placeholder): placeholder.fallback ?? ""
                }
            }
            return .string(parts.joined())
        case .array(let items): return .array(items.map(\.shortest))
        case .object(let members): return .object(members.mapValues(\.shortest))
        case .null, .bool, .int, .double, .digits: return self
        }
    }
}
