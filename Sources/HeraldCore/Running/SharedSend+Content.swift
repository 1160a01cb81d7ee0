internal import FCM

/// What recipients get, as it travels in a `SharedSend`.
extension MessageContent {
    /// A message for everybody, or what the messages of a personal campaign are made of.
    var travelling: JSONValue {
        personal.map { ["personal": $0.content.travelling] } ?? ["message": .object(message(for: .everybody))]
    }

    /// Reads it. `nil` if it is anything else, or cannot be compiled.
    init?(travelling json: JSONValue) {
        if let personal = json.members(["personal"])?["personal"] {
            guard let content = PersonalContent(travelling: personal), let messages = try? PersonalMessages(content)
            else { return nil }
            self.init(messages)
        } else {
            guard let message = json.members(["message"])?["message"]?.object else { return nil }
            self.init(message)
        }
    }
}

extension PersonalContent {
    /// Seed and weights do not travel: who gets which text is in the state. What the content digest covers is another
    /// matter, and may change without this.
    fileprivate var travelling: JSONValue {
        var parts: [String: JSONValue] = [
            "message": .object(message), "fields": .array(fields.map(\.travelling)),
            "locales": .object(locales.mapValues { .object($0) }),
        ]
        parts["locale"] = localeField.map { .string(fields[$0].name) }
        parts["default_locale"] = defaultLocale.map { .string($0) }
        guard !variants.isEmpty else { return .object(parts) }
        parts["variants"] = .object(Dictionary(variants.map { ($0.name, $0.travelling) }) { $1 })
        parts["split_by"] = splitField.map { .string(fields[$0].name) }
        return .object(parts)
    }

    /// All weights become 1.
    fileprivate init?(travelling json: JSONValue) {
        let optional: Set = ["default_locale", "locale", "split_by", "variants"]
        guard let parts = json.members(["message", "fields", "locales"], optional: optional),
            let message = parts["message"]?.object,
            let fields = parts["fields"]?.array?.allMapped(Field.init(travelling:)),
            fields.count <= RowValues.maximumFields, let locales = parts["locales"].flatMap(Self.patches)
        else { return nil }
        self.init(message: message, fields: fields, seed: "")
        self.locales = locales
        defaultLocale = parts["default_locale"]?.string
        let place = { (key: String) in parts[key]?.string.flatMap { name in fields.firstIndex { $0.name == name } } }
        (localeField, splitField) = (place("locale"), place("split_by"))
        let isRead = [
            "default_locale": defaultLocale != nil, "locale": localeField != nil, "split_by": splitField != nil,
        ]
        guard isRead.allSatisfy({ (parts[$0] != nil) == $1 }) else { return nil }
        guard let named = parts["variants"] else { return }
        let byName = named.object?.sorted { $0.key < $1.key }
        guard let variants = byName?.allMapped({ Variant($0.key, travelling: $0.value) }) else { return nil }
        self.variants = variants
    }

    fileprivate static func patches(_ json: JSONValue) -> [String: [String: JSONValue]]? {
        guard let members = json.object else { return nil }
        let patches = members.compactMapValues(\.object)
        return patches.count == members.count ? patches : nil
    }
}

extension PersonalContent.Variant {
    fileprivate var travelling: JSONValue {
        [
            "message": .object(message), "holdout": .bool(isHoldout),
            "locales": .object(locales.mapValues { .object($0) }),
        ]
    }

    fileprivate init?(_ name: String, travelling json: JSONValue) {
        guard let parts = json.members(["message", "holdout", "locales"]), let message = parts["message"]?.object,
            let holdout = parts["holdout"], holdout == .bool(true) || holdout == .bool(false),
            let locales = parts["locales"].flatMap(PersonalContent.patches)
        else { return nil }
        self.init(name: name, weight: 1, isHoldout: holdout == .bool(true), message: message, locales: locales)
    }
}

extension Field {
    fileprivate var travelling: JSONValue {
        var parts: [String: JSONValue] = [
            "name": .string(name), "type": .string(kind.rawValue), "column": .string(column),
        ]
        parts["max"] = maximum.map { .int(Int64($0)) }
        return .object(parts)
    }

    fileprivate init?(travelling json: JSONValue) {
        guard let parts = json.members(["name", "type", "column"], optional: ["max"]),
            let name = parts["name"]?.string, let kind = parts["type"]?.string.flatMap(FieldKind.init),
            let column = parts["column"]?.string
        else { return nil }
        let maximum = parts["max"]?.int.flatMap { Int(exactly: $0) }
        guard (parts["max"] != nil) == (maximum != nil) else { return nil }
        self.init(name: name, kind: kind, maximum: maximum, column: column)
    }
}

extension Sequence {
    /// `nil` if one of them cannot be read.
    fileprivate func allMapped<Value>(_ read: (Element) -> Value?) -> [Value]? {
        var values: [Value] = []
        for element in self {
            guard let value = read(element) else { return nil }
            values.append(value)
        }
        return values
    }
}
