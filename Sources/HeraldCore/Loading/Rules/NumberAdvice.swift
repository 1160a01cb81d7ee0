internal import FCM

extension Campaign {
    /// Advice about the first text in which a word follows a whole number: `{{ points }} points` is wrong for one point.
    var numberAdvice: Diagnostic? {
        guard let personal, let content = content.personal?.content else { return nil }
        let numbers = Set(content.fields.filter { $0.kind == .integer }.map(\.name))
        guard !numbers.isEmpty else { return nil }
        for (json, locale) in content.texts where !locale.isWithoutPlurals {
            for text in PlaceholderPlaces.texts(in: json) where text.place == .text {
                guard TextTemplate.isTemplate(text.text), let template = try? TextTemplate(parsing: text.text),
                    let name = template.field(beforeAWord: numbers),
                    let field = personal.fields.first(where: { $0.value == name })
                else { continue }
                let place = "'\(text.path.joined(separator: "."))'" + (locale.map { " of '\($0)'" } ?? "")
                var advice = Diagnostic.warning(
                    .numberWord, "a word follows the number '\(name)' in \(place)", at: field.range,
                    help: "herald knows no plurals: put the number at the end, as in \"Your points: {{ \(name) }}\"")
                advice.severity = .info
                return advice
            }
        }
        return nil
    }
}

extension PersonalContent {
    /// What the file writes, with the locale that it is for.
    fileprivate var texts: [(json: [String: JSONValue], locale: String?)] {
        let all = [(message, locales)] + variants.map { ($0.message, $0.locales) }
        return all.flatMap { message, locales in
            [(message, defaultLocale)] + locales.sorted { $0.key < $1.key }.map { ($0.value, .some($0.key)) }
        }
    }
}

extension String? {
    /// Languages whose nouns are the same for one and for many (CLDR's cardinal plurals).
    private static let languages: Set<String> = [
        "id", "ja", "km", "ko", "lo", "ms", "my", "th", "vi", "yue", "zh",
    ]

    /// Whether a tag is that of a language in which nothing depends on a number.
    fileprivate var isWithoutPlurals: Bool {
        flatMap { LanguageTag($0) }.map { Self.languages.contains($0.language.description) } ?? false
    }
}

extension TextTemplate {
    /// The first of the fields after which a word comes.
    fileprivate func field(beforeAWord fields: Set<String>) -> String? {
        for (part, next) in zip(parts, parts.dropFirst()) {
            guard case .placeholder(let placeholder) = part, fields.contains(placeholder.field),
                case .literal(let text) = next, text.first?.isWhitespace == true,
                text.first(where: { !$0.isWhitespace })?.isLetter == true
            else { continue }
            return placeholder.field
        }
        return nil
    }
}
