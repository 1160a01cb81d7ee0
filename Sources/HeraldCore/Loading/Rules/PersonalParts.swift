internal import FCM

/// What the file of a personal campaign writes: its message, and what locales and variants change of it.
struct PersonalParts {
    struct Part {
        /// The key of the locale that it is for.
        var locale: String?
        /// The name of the variant that it is for.
        var variant: String?
        var node: Node
        var json: [String: JSONValue]

        var templates: [(path: [String], template: TextTemplate)] { PersonalParts.templates(in: json) }
    }

    /// The texts with placeholders, those with a mistake in them left out.
    static func templates(in json: [String: JSONValue]) -> [(path: [String], template: TextTemplate)] {
        PlaceholderPlaces.texts(in: json).compactMap { found in
            guard TextTemplate.isTemplate(found.text) else { return nil }
            return (try? TextTemplate(parsing: found.text)).map { (found.path, $0) }
        }
    }

    /// The message first.
    let all: [Part]

    init(_ fields: Fields, _ campaign: Campaign, _ personal: Personal) {
        var all: [Part] = []
        if let node = fields["message"] {
            all.append(Part(node: node, json: campaign.message.value))
        }
        let add = { (node: Node?, variant: String?, json: [String: [String: JSONValue]], all: inout [Part]) in
            for entry in node?.mapping ?? [] {
                guard let json = json[entry.key] else { continue }
                all.append(
                    Part(locale: entry.key, variant: variant, node: entry.value, json: json))
            }
        }
        add(fields["locales"], nil, personal.locales, &all)
        for entry in fields["variants"]?.mapping ?? [] {
            guard let variant = personal.variants.first(where: { $0.name.value == entry.key }) else { continue }
            let keys = entry.value.mapping ?? []
            if let node = keys.first(where: { $0.key == "message" })?.value {
                all.append(Part(variant: entry.key, node: node, json: variant.message))
            }
            add(keys.first { $0.key == "locales" }?.value, entry.key, variant.locales, &all)
        }
        self.all = all
    }

    /// The message of a class as it is written, every part at its place.
    func node(_ locale: String?, _ variant: String?) -> Node? {
        let tag = locale.flatMap { LanguageTag($0) }
        let mine = { (part: Part) in part.locale == nil || part.locale.flatMap { LanguageTag($0) } == tag }
        var layers = all.filter { $0.variant == nil && mine($0) }
        if let variant { layers += all.filter { $0.variant == variant && mine($0) } }
        guard let first = layers.first, first.locale == nil, first.variant == nil else { return nil }
        return layers.dropFirst().reduce(first.node) { $0.merging($1.node) }
    }
}
