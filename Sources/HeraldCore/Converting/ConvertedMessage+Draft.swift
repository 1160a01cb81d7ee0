internal import FCM

extension ConvertedMessage {
    /// The campaign file.
    ///
    /// - Parameters:
    ///   - target: instead of the message's own.
    ///   - tags: what kind of message it is.
    ///   - topics: the topics that other files declare; the file declares all others that it names.
    ///   - schema: the path from the file to the schema of campaigns, for editors.
    /// - Returns: `nil` if nobody says whom it is for.
    package func draft(
        name: String, target given: Target?, tags: [String] = [], topics: Set<String>?, schema: String?
    ) -> ResourceDraft? {
        guard let target = given ?? target else { return nil }
        var lines = ["# It was \(form.words). 'herald preview' shows what phones will show of it."]
        if !notes.isEmpty { lines += ["# To look at:"] + notes.map { "# - \($0.printable)" } }
        lines += ["kind: campaign", "name: \(name.inYAML)", "description: Say here what it is for"]
        lines += [
            "enabled: false             # true when it is ready; without a schedule it then goes out at the next apply"
        ]
        lines += target.lines
        // A key without a value is a mistake.
        lines += tags.lineOfTags + (message.isEmpty ? ["message: {}"] : ["message:"] + YAMLLines.of(message, depth: 1))
        if let lifetime { lines += ["delivery:", "  expires_after: \(lifetime)s"] }
        let missing = topics.map { known in target.topics.filter { !known.contains($0) } } ?? []
        for topic in missing {
            lines += ["---", "# The app subscribes its users itself. With `subscribers` herald does.", "kind: topic"]
            lines += ["name: \(topic.inYAML)"]
        }
        // An editor checks a file with one schema, and then this file has two kinds of documents.
        if let schema, missing.isEmpty { lines.insert("# yaml-language-server: $schema=\(schema)", at: 0) }
        return ResourceDraft(name: name, text: lines.joined(separator: "\n") + "\n")
    }
}

extension ConvertedMessage.Target {
    fileprivate var lines: [String] {
        switch self {
        case .named(let target): [target.line]
        case .registrations(let kind, let all):
            ["target:", "  \(kind):"] + all.map { "    - \($0.inYAML)" }
        }
    }

    /// The topics that it names, in order.
    fileprivate var topics: [String] {
        guard case .named(let target) = self else { return [] }
        switch target.kind {
        case "topic": return [target.value]
        case "condition": return (try? Condition(parsing: target.value))?.topics.map(\.rawValue) ?? []
        default: return []
        }
    }
}
