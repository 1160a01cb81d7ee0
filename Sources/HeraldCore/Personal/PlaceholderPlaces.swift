package import FCM

/// Where placeholders may stand in a message, and what is wrong with those that are there.
package enum PlaceholderPlaces {
    /// What a position makes of a row's value.
    package enum Place: Hashable, Sendable {
        /// A person reads it: numbers and dates are written in the text's language.
        case text
        /// An app reads it: values stand in it as the row has them. If the text begins like a link, it counts as one.
        case plain
        /// A link: values are percent-encoded.
        case link
        /// No placeholder may stand here.
        case none
    }

    /// A text or a key of a message.
    package struct Found: Hashable, Sendable {
        /// The keys and indices that lead to it.
        package var path: [String]
        package var text: String
        package var place: Place
    }

    /// Every text in a message or in a change of one, in the order of its keys. A key is found as a text where no
    /// placeholder may stand.
    package static func texts(in message: [String: JSONValue]) -> [Found] {
        var found: [Found] = []
        collect(.object(message), at: [], into: &found)
        return found
    }

    private static func collect(_ value: JSONValue, at path: [String], into found: inout [Found]) {
        switch value {
        case .string(let text): found.append(.init(path: path, text: text, place: place(at: path)))
        case .array(let items):
            for (index, item) in items.enumerated() { collect(item, at: path + [String(index)], into: &found) }
        case .object(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                if TextTemplate.isTemplate(key) { found.append(.init(path: path + [key], text: key, place: .none)) }
                collect(member, at: path + [key], into: &found)
            }
        case .null, .bool, .int, .double, .digits: break
        }
    }

    static func place(at path: [String]) -> Place {
        let rest = path.dropFirst()
        switch path.first {
        case "notification": return ["title": .text, "body": .text, "image": .link][rest] ?? .none
        case "data": return .plain
        case "android": return android(rest, in: .current)
        case "android_v2": return android(rest, in: .preview)
        case "apns": return apns(rest)
        case "webpush": return webpush(rest)
        default: return .none
        }
    }

    private static func android(_ path: ArraySlice<String>, in part: AndroidPart) -> Place {
        if path.first == "data" { return .plain }
        let own = part.notification.dropFirst()
        guard path.starts(with: own) else { return .none }
        let rest = path.dropFirst(own.count)
        if ["title_loc_args", "body_loc_args"].contains(rest.first) { return .text }
        return ["title": .text, "body": .text, "image": .link, "tag": .plain][rest] ?? .none
    }

    private static func apns(_ path: ArraySlice<String>) -> Place {
        if path == ["fcm_options", "image"] { return .link }
        guard path.first == "payload", path.count > 1 else { return .none }
        let rest = path.dropFirst()
        guard rest.first == "aps" else { return .plain }
        return rest.dropFirst().first == "alert" ? .text : .none
    }

    private static func webpush(_ path: ArraySlice<String>) -> Place {
        if path == ["fcm_options", "link"] { return .link }
        if path.first == "data" { return .plain }
        guard path.first == "notification" else { return .none }
        let rest = path.dropFirst()
        switch rest.first {
        case "data": return .plain
        // The index is between.
        case "actions": return ["title": .text, "icon": .link][rest.dropFirst(2)] ?? .none
        default:
            return ["title": .text, "body": .text, "image": .link, "icon": .link, "badge": .link, "tag": .plain][rest]
                ?? .none
        }
    }
}

extension [String: PlaceholderPlaces.Place] {
    /// The place at a path of one key.
    fileprivate subscript(path: ArraySlice<String>) -> Value? {
        path.count == 1 ? path.first.flatMap { self[$0] } : nil
    }
}

extension PlaceholderPlaces {
    /// Everything that is wrong with the placeholders of a message or of a change of one.
    ///
    /// - Parameter fields: what they may name.
    package static func problems(in message: [String: JSONValue], fields: some Sequence<String>) -> [PersonalProblem] {
        let fields = Set(fields)
        return texts(in: message).flatMap { found in
            words(about: found, fields).map { PersonalProblem(path: found.path, words: $0) }
        }
    }

    private static func words(about found: Found, _ fields: Set<String>) -> [String] {
        guard TextTemplate.isTemplate(found.text) else { return [] }
        guard found.place != .none else {
            // A key that is a text is at the end of its own path.
            let isKey = found.path.last == found.text
            return ["a placeholder cannot stand in \(isKey ? "a key" : "'\(found.path.joined(separator: "."))'")"]
        }
        do {
            let template = try TextTemplate(parsing: found.text)
            var unknown: [String] = []
            for field in template.placeholders.map(\.field) where !fields.contains(field) && !unknown.contains(field) {
                unknown.append(field)
            }
            let words = unknown.map { "there is no field '\($0)' among the campaign's 'fields'" }
            return words + (template.linkProblem(at: found.place).map { [$0] } ?? [])
        } catch {
            return [error.words]
        }
    }
}

extension TextTemplate {
    /// Whether values are percent-encoded.
    func isLink(at place: PlaceholderPlaces.Place) -> Bool {
        place == .link || place == .plain && literalStart.prefixMatch(of: #/[A-Za-z][A-Za-z0-9+.-]*:[/]{2}/#) != nil
    }

    /// A value may choose neither the scheme nor the host of a link.
    func linkProblem(at place: PlaceholderPlaces.Place) -> String? {
        guard isLink(at: place), !placeholders.isEmpty else { return nil }
        let start = literalStart
        if let scheme = start.firstRange(of: "://"), scheme.lowerBound > start.startIndex {
            let host = start[scheme.upperBound...].prefix { !"/?#\\".contains($0) }
            if !host.isEmpty, start[host.endIndex...].first == "/" { return nil }
        }
        return
            "a placeholder in a link must come after its scheme, its host and a '/', as in https://example.com/{{ field }}"
    }
}
