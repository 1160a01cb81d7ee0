internal import FCM

/// Checks that need all files: names that are declared twice, names that nobody declares, and audiences that refer to
/// each other in a circle.
struct References {
    /// The kind and name of a document. A document with mistakes still declares its name.
    struct Name: Hashable {
        var kind: String
        var name: String

        init(_ kind: String, _ name: String) { (self.kind, self.name) = (kind, name) }

        init?(of document: Node) {
            let text = { (key: String) in document.mapping?.first { $0.key == key }?.value.scalar?.text }
            guard let kind = text("kind"), let name = text("name") else { return nil }
            self.init(kind, name)
        }
    }

    private let workspace: Workspace
    private let declared: Set<Name>
    /// Of the audiences in the workspace.
    private let places: [String: Int]

    init(_ workspace: Workspace, declared: Set<Name>) {
        self.workspace = workspace
        self.declared = declared
        places = Dictionary(workspace.audiences.lazy.enumerated().map { ($1.name.value, $0) }) { first, _ in first }
    }

    func check() -> [Diagnostic] {
        var found = FindingsOfFiles()
        duplicates(&found)
        unknownNames(&found)
        cycles(&found)
        if workspace.goesByOutcomes { FollowUpRules(workspace).check(&found) }
        PreviousNames(workspace, declared).check(&found)
        groupsWithoutSender(&found)
        endOfGroups(&found)
        return found.diagnostics
    }

    private func duplicates(_ found: inout FindingsOfFiles) {
        let named =
            workspace.audiences.map { ("audience", $0.name) }
            + workspace.topics.map { ("topic", $0.name.text) }
            + workspace.groups.map { ("group", $0.name.text) }
            + workspace.campaigns.indices.map { ("campaign", workspace.campaigns[$0].name) }
        var first: [Name: SourceRange] = [:]
        for (kind, name) in named {
            let key = Name(kind, name.value)
            guard let range = first[key] else {
                first[key] = name.range
                continue
            }
            found.add(at: name.range) { _ in
                .error(
                    .duplicateResource, "\(kind) '\(name.value)' is declared twice", at: name.range,
                    notes: [.init("first declared here", at: range)])
            }
        }
    }

    private func unknownNames(_ found: inout FindingsOfFiles) {
        var uses: [String: [Located<String>]] = [:]
        uses["audience"] =
            workspace.settings.suppress + workspace.settings.suppressedByTag.map(\.audience)
            + workspace.audiences.flatMap(\.uses)
            + workspace.topics.flatMap { $0.subscribers + $0.exclude }
            + workspace.campaigns.indices.flatMap { workspace.campaigns[$0].exclude } + workspace.seeds
        for group in workspace.groups {
            if case .audience(let name) = group.members { uses["audience", default: []].append(name) }
        }
        for target in workspace.campaigns.indices.map({ workspace.campaigns[$0].target }) {
            switch target.value {
            case .topic(let name): uses["topic", default: []].append(Located(name.rawValue, at: target.range))
            case .group(let name): uses["group", default: []].append(Located(name.rawValue, at: target.range))
            case .audience(let name): uses["audience", default: []].append(Located(name, at: target.range))
            case .condition, .registrations: break
            }
        }
        uses["campaign"] = workspace.audiences.compactMap(\.followUp?.campaign)
        for (kind, uses) in uses.sorted(by: { $0.key < $1.key }) { unknown(kind, uses, &found) }
        for place in workspace.campaigns.indices {
            var seen: Set<TopicName> = []
            let topics = workspace.campaigns[place].conditionTopics.filter { seen.insert($0.value).inserted }
            unknown("topic", topics.map(\.text), isInText: true, &found)
        }
    }

    /// - Parameter isInText: Whether the names stand inside a text, such as a condition.
    private func unknown(
        _ kind: String, _ uses: [Located<String>], isInText: Bool = false, _ found: inout FindingsOfFiles
    ) {
        for use in uses where !declared.contains(Name(kind, use.value)) {
            found.add(at: use.range) { advice in
                let near = advice.nearest(to: use.value, among: declaredNames(of: kind))
                var help = near.map { "did you mean '\($0)'?" }
                if kind == "topic" {
                    let lines = "two lines in a file declare it: kind: topic, and name: \(use.value.inYAML)"
                    help = help.map { "\($0) Otherwise \(lines)" } ?? lines
                }
                return .error(
                    .unknownReference, "no file declares \(kind) '\(use.value)'", at: use.range, help: help,
                    replacement: isInText ? near : near?.inYAML)
            }
        }
    }

    /// Looks at every declared name, so it is called only for the few mistakes that get a suggestion.
    private func declaredNames(of kind: String) -> [String] {
        declared.filter { $0.kind == kind }.map(\.name)
    }

    /// Device groups need the project's number. Nothing else does.
    private func groupsWithoutSender(_ found: inout FindingsOfFiles) {
        guard workspace.settings.senderID == nil else { return }
        for group in workspace.groups {
            found.add(at: group.name.range) { _ in
                .error(
                    .groupSender, "group '\(group.name.value)' needs the project's number", at: group.name.range,
                    help: "write sender_id: \"123456789012\" with that number into \(WorkspaceFolder.settingsFile)")
            }
        }
    }

    /// Told once, at the first group.
    private func endOfGroups(_ found: inout FindingsOfFiles) {
        let ranges = workspace.groups.map(\.name.range)
        guard let first = ranges.min(by: { ($0.file, $0.start) < ($1.file, $1.start) }) else { return }
        found.add(at: first) { _ in
            .warning(
                .fcmSunset, "device groups stop working at FCM on \(EndOfService.day)", at: first,
                help: "send to an audience that lists the same devices; 'herald groups export' writes the list")
        }
    }

    private func cycles(_ found: inout FindingsOfFiles) {
        let audiences = workspace.audiences
        var circles: [([String], SourceRange)] = []
        Circles.find(
            among: audiences.map(\.name.value).sorted(), { places[$0].map { audiences[$0].uses } ?? [] }
        ) { circles.append(($0, $1)) }
        for (names, range) in circles {
            found.add(at: range) { _ in
                .error(
                    .referenceCycle, "audiences are made of each other in a circle: \(Circles.words(names))", at: range)
            }
        }
    }
}

extension Located where Value: RawRepresentable<String> {
    var text: Located<String> { Located<String>(value.rawValue, at: range) }
}
