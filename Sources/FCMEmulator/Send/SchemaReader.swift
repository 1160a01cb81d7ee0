import FCM

/// Reads a JSON document as a message of the schema and collects everything that does not fit. Google's front end does
/// this before FCM sees a request.
struct SchemaReader {
    private(set) var violations: [GoogleError.Violation] = []

    private static let maximumViolations = 100

    /// The message with canonical field names and unchanged values. Nulls are left out, because they mean unset.
    static func read(_ value: JSONValue, as schema: Schema) throws(GoogleError) -> [String: JSONValue] {
        guard let members = value.object else {
            throw .violation("Invalid JSON payload received. Unknown name \"\": Root element must be a message.")
        }
        var reader = SchemaReader()
        let message = reader.message(members, schema, at: "")
        guard reader.violations.isEmpty else { throw .violations(reader.violations) }
        return message
    }

    private mutating func message(_ members: [String: JSONValue], _ schema: Schema, at path: String) -> [String:
        JSONValue]
    {
        var message: [String: JSONValue] = [:]
        var chosen: String?
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let field = schema.field(name) else {
                reportUnknown(name, "Cannot find field.", at: path)
                continue
            }
            if value == .null { continue }
            let fieldPath = path.isEmpty ? field.name : "\(path).\(field.name)"
            if message[field.name] != nil {
                report("Invalid value at '\(fieldPath)' (\(field.type.name)), the field is already set.", at: fieldPath)
                continue
            }
            if let oneof = schema.oneof, oneof.members.contains(field.name) {
                if chosen != nil {
                    report(
                        "Invalid value at '\(path)' (oneof), oneof field '\(oneof.name)' is already set. "
                            + "Cannot set '\(field.name)'", at: path)
                    continue
                }
                chosen = field.name
            }
            message[field.name] = read(value, field, at: fieldPath, in: path)
        }
        return message
    }

    private mutating func read(_ value: JSONValue, _ field: Schema.Field, at path: String, in parent: String)
        -> JSONValue
    {
        switch (field.type, value) {
        case (.message(let schema), .object(let members)):
            return .object(message(members, schema, at: path))
        case (.stringMap, .object(let members)):
            // FCM numbers the entries in the order received. Here the order of the keys is used, because the order
            // received is lost.
            for (index, entry) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                readEntry(entry.value, at: "\(path)[\(index)]")
            }
        case (.structure, .object): break
        case (.list(let element), .array(let elements)):
            for (index, item) in elements.enumerated() where !element.accepts(item) {
                reportInvalid(item, element, at: "\(path)[\(index)]")
            }
        case (_, .array): reportUnknown(field.name, "Proto field is not repeating, cannot start list.", at: parent)
        case (_, .object) where field.type.isScalar:
            reportUnknown(field.name, "Starting an object on a scalar field", at: parent)
        default:
            if !field.type.accepts(value) { reportInvalid(value, field.type, at: path) }
        }
        return value
    }

    private mutating func readEntry(_ value: JSONValue, at path: String) {
        switch value {
        case .string: break
        case .array: reportUnknown("value", "Proto field is not repeating, cannot start list.", at: path)
        case .object: reportUnknown("value", "Starting an object on a scalar field", at: path)
        default: reportInvalid(value, .string, at: "\(path).value")
        }
    }

    private mutating func reportInvalid(_ value: JSONValue, _ type: FieldType, at path: String) {
        let reason =
            if case .duration = type, value.string != nil {
                "Field '\(path.split(separator: ".").last ?? "")', Illegal duration format; duration must end with 's'"
            } else {
                value.shown
            }
        report("Invalid value at '\(path)' (\(type.name)), \(reason)", at: path)
    }

    private mutating func reportUnknown(_ name: String, _ reason: String, at path: String) {
        let place = path.isEmpty ? "" : " at '\(path)'"
        report("Invalid JSON payload received. Unknown name \"\(name)\"\(place): \(reason)", at: path)
    }

    private mutating func report(_ description: String, at path: String) {
        guard violations.count < Self.maximumViolations else { return }
        violations.append(GoogleError.Violation(field: path.isEmpty ? nil : path, description: description))
    }
}

extension FieldType {
    fileprivate var isScalar: Bool {
        switch self {
        case .message, .stringMap, .structure, .list: false
        default: true
        }
    }

    /// Whether proto3 JSON accepts this value for the type.
    fileprivate func accepts(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.string, .string), (.bool, .bool): true
        case (.int32, .int(let number)): Int32(exactly: number) != nil
        case (.int32, .double(let number)): Int32(exactly: number) != nil
        case (.int32, .string(let text)): Int32(text) != nil
        case (.float, .int), (.float, .double): true
        case (.float, .string(let text)): Float(text) != nil
        case (.duration, .string(let text)): ProtoDuration(text) != nil
        case (.timestamp, .string(let text)): text.isTimestamp
        case (.enumeration(_, let names), .string(let text)): names.contains(text.uppercased())
        case (.enumeration, .int(let number)): Int32(exactly: number) != nil
        default: false
        }
    }
}

extension JSONValue {
    /// The value in the form that errors quote.
    fileprivate var shown: String {
        switch self {
        case .null: "null"
        case .bool(let value): String(value)
        case .int(let value): String(value)
        case .double(let value): String(value)
        case .digits(let text): text
        case .string(let value): "\"\(value)\""
        case .array: "[…]"
        case .object: "{…}"
        }
    }
}
