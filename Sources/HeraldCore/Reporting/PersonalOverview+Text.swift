internal import FCM

/// What a plan shows of the rows of personal messages.
extension PersonalOverview {
    /// Who gets which text, and how large it gets.
    var figures: String {
        var parts = [Self.list(locales, "nobody")]
        if !variants.isEmpty || heldOut > 0 {
            let held = heldOut > 0 ? ["\(heldOut.grouped) held out"] : []
            parts.append("variants: " + ([Self.list(variants, "nobody")] + held).joined(separator: ", "))
        }
        if largest > 0 { parts.append("at most \(largest.grouped) of \(DevicePayload.maximumSize.grouped) bytes") }
        return parts.joined(separator: "; ")
    }

    /// What is wrong with rows. Empty if nothing is.
    var mistakes: [String] {
        guard bad > 0 else { return [] }
        let outcome = skipsBadRows ? " left out" : ""
        let rest = bad - firstBad.count
        return ["\(count(bad, "bad row"))\(outcome): \(badRows.words)"]
            + firstBad.map { "\($0.list), line \($0.line.grouped): \($0.mistake.words)" }
            + (rest > 0 && !firstBad.isEmpty ? ["and \(rest.grouped) more"] : [])
    }

    /// The largest message: whose it is, and then what a person sees, line by line. Empty if there is none.
    var longestLines: [String] {
        guard let longest else { return [] }
        let texts = [longest.shown?.title, longest.shown?.body].compactMap(\.self)
        return ["largest message: \(longest.words)"]
            + texts.flatMap { $0.split(whereSeparator: \.isNewline) }.map {
                "│ \(Self.line.fit(String($0)).lines.joined())"
            }
    }

    /// Longer lines are cut.
    private static let line = TextFrame(lines: 1, columns: 160)

    private static func list(_ counts: [String: Int], _ nothing: String) -> String {
        let entries = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return entries.isEmpty ? nothing : entries.map { "\($0.key) \($0.value.grouped)" }.joined(separator: ", ")
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "campaign": .string(campaign), "locales": .counts(locales), "variants": .counts(variants),
            "held_out": .int(Int64(heldOut)),
            "bad_rows": .counts(badRows.reduce(into: [:]) { $0[$1.key.rawValue] = $1.value }),
            "bad_lines": .array(firstBad.map(\.json)), "largest_bytes": .int(Int64(largest)),
        ]
        members["longest"] = longest?.json
        return .object(members)
    }
}

extension PersonalOverview.Longest {
    /// `locale it, variant b, 812 bytes, from lists/members.csv, line 34`.
    fileprivate var words: String {
        var parts = locale == MessageClass.unnamed ? [] : ["locale \(locale)"]
        if let variant = message.recipients.variant { parts.append("variant \(variant)") }
        parts.append("\(message.size.grouped) bytes")
        if let list { parts.append("from \(list), line \(message.line.grouped)") }
        return parts.joined(separator: ", ")
    }

    /// What a person sees, on the platform where the message is largest.
    fileprivate var shown: DevicePayload.Shown? {
        let devices = Platform.allCases.map { DevicePayload(of: message.message, on: $0, stamp: .unstamped) }
        return devices.filter { $0.shown != nil }.max { $0.size < $1.size }?.shown
    }

    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = ["locale": .string(locale), "bytes": .int(Int64(message.size))]
        let texts = [
            ("variant", message.recipients.variant), ("list", list), ("title", shown?.title), ("body", shown?.body),
        ]
        for (key, text) in texts { members[key] = text.map { .string($0) } }
        if list != nil { members["line"] = .int(Int64(message.line)) }
        return .object(members)
    }
}

extension PersonalOverview.BadLine {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "list": .string(list), "line": .int(Int64(line)), "kind": .string(mistake.kind.rawValue),
        ]
        members["field"] = mistake.field.map { .string($0) }
        return .object(members)
    }
}

extension JSONValue {
    fileprivate static func counts(_ counts: [String: Int]) -> JSONValue {
        .object(counts.mapValues { .int(Int64($0)) })
    }
}
