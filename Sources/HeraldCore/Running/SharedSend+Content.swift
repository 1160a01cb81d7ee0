internal import FCM

/// What recipients get, as it travels in a `SharedSend`.
extension MessageContent {
    /// A member of the send's JSON: a message for everybody, or what the messages of a personal campaign are made of.
    var travelling: (key: String, value: JSONValue) { (differsByRecipient ? "personal" : "message", json) }

    /// Reads it. `nil` if it is anything else, or cannot be compiled.
    init?(travelling json: JSONValue) {
        if let personal = json["personal"] {
            guard let content = PersonalContent(travelling: personal), let messages = try? PersonalMessages(content)
            else { return nil }
            self.init(messages)
        } else {
            guard let message = json["message"]?.object else { return nil }
            self.init(message)
        }
    }
}

extension PersonalContent {
    /// Seed and weights do not travel: who gets which text is in the state. So all weights are 1.
    fileprivate init?(travelling json: JSONValue) {
        guard let message = json["message"]?.object,
            let fields = json["fields"]?.array?.allMapped(Field.init(travelling:)),
            fields.count <= RowValues.maximumFields, let locales = json["locales"].flatMap(Self.patches)
        else { return nil }
        self.init(message: message, fields: fields, seed: "")
        self.locales = locales
        defaultLocale = json["default_locale"]?.string
        let place = { (key: String) in json[key]?.string.flatMap { name in fields.firstIndex { $0.name == name } } }
        (localeField, splitField) = (place("locale"), place("split_by"))
        let isRead = [
            "default_locale": defaultLocale != nil, "locale": localeField != nil, "split_by": splitField != nil,
        ]
        guard isRead.allSatisfy({ (json[$0] != nil) == $1 }) else { return nil }
        guard let named = json["variants"] else { return }
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
    fileprivate init?(_ name: String, travelling json: JSONValue) {
        guard let message = json["message"]?.object, let holdout = json["holdout"],
            holdout == .bool(true) || holdout == .bool(false),
            let locales = json["locales"].flatMap(PersonalContent.patches)
        else { return nil }
        self.init(name: name, weight: 1, isHoldout: holdout == .bool(true), message: message, locales: locales)
    }
}

extension Field {
    fileprivate init?(travelling json: JSONValue) {
        guard let name = json["name"]?.string, let kind = json["type"]?.string.flatMap(FieldKind.init),
            let column = json["column"]?.string
        else { return nil }
        let maximum = json["max"]?.int.flatMap { Int(exactly: $0) }
        guard (json["max"] != nil) == (maximum != nil) else { return nil }
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
