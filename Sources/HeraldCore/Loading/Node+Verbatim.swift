internal import FCM

extension Node {
    /// The node as JSON, for parts of a message that are passed on unchanged. A value that versions of YAML read
    /// differently, or that JSON does not have, is reported.
    ///
    /// - Parameter allowsNull: whether a key may have the value null. An entry of a list may not.
    func verbatimJSON(
        _ name: String, allowingNull allowsNull: Bool = false, _ findings: inout Findings
    ) -> JSONValue? {
        switch content {
        case .mapping(let entries):
            var members: [String: JSONValue] = [:]
            for entry in entries {
                members[entry.key] =
                    allowsNull && entry.value.isNull
                    ? .null : entry.value.verbatimJSON("'\(entry.key)'", allowingNull: allowsNull, &findings)
            }
            return .object(members)
        case .sequence(let items):
            return .array(items.compactMap { $0.verbatimJSON("an entry of \(name)", &findings) })
        case .scalar(let scalar):
            guard scalar.isPlain else { return .string(scalar.text) }
            switch PlainScalar(scalar.text) {
            case .string: return .string(scalar.text)
            case .bool(let value): return .bool(value)
            case .int(let value): return .int(value)
            case .double(let value): return .double(value)
            case .null:
                findings.error(.nullValue, "\(name) has no value", at: range, help: "leave the key out")
                return nil
            case .trap(let reading):
                if let number = JSONValue(digits: scalar.text) { return number }
                reportTrap(reading, name, scalar.text, &findings)
                return nil
            }
        }
    }

    private func reportTrap(_ reading: String, _ name: String, _ text: String, _ findings: inout Findings) {
        let asText = "\(text.quoted) for text"
        switch reading {
        case "a number":
            findings.error(
                .ambiguousScalar, "\(name) is \(text), which is not a number that JSON can carry", at: range,
                help: "write " + (text.numberMeant.map { "\($0), or \(asText)" } ?? asText))
        case "a boolean":
            findings.error(
                .ambiguousScalar, "\(name) is \(text), which some versions of YAML read as \(reading)", at: range,
                help: "write " + (Bool(meantBy: text).map { "\($0), or \(asText)" } ?? asText))
        default:
            findings.error(
                .ambiguousScalar, "\(name) is \(text), which some versions of YAML read as \(reading)", at: range,
                help: "write \(asText)", replacement: text.quoted)
        }
    }
}
