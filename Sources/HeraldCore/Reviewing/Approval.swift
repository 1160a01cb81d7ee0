internal import FCM

/// What a reviewer approves: everything that the files decide, and nothing that lists, clocks or the state decide.
package struct Approval: Hashable, Sendable {
    /// A digest of each campaign, audience, topic and group, with everything that it refers to, and one of the settings.
    package let digests: [Definition.Key: String]
    /// A digest of all of it.
    package let digest: String
    /// How many recipients each has now. What is not in it was not counted. The digests do not cover it.
    package var sizes: [Definition.Key: Int] = [:]

    /// - Parameters:
    ///   - suppress: the audiences whose members are left out everywhere.
    ///   - places: where the list of each audience is found.
    package init(_ definitions: [Definition], suppress: Set<String>, places: [String: ListPlace] = [:]) {
        let own = Dictionary(definitions.map { ($0.key, $0) }) { first, _ in first }
        let decisions = own.mapValues { definition in
            definition.decision(at: definition.kind == .audience ? places[definition.name] : nil)
        }
        let suppressed = Set(suppress.map { Definition.Key(kind: .audience, name: $0) })
        let left = JSONValue.array(suppress.sorted().map { .string($0) })
        var digests: [Definition.Key: String] = [:]
        for definition in definitions {
            // The settings hold for everything, so they are approved on their own, without suppressed audiences.
            let others = definition.kind == .settings ? [] : suppressed
            let covered = definition.reach(among: own, with: others)
            digests[definition.key] =
                JSONValue.object([
                    "resource": .string(definition.key.text), "suppress": left,
                    "covers": .object(
                        Dictionary(covered.map { ($0.text, decisions[$0] ?? .null) }) { first, _ in first }),
                ]).digest
        }
        self.digests = digests
        digest =
            JSONValue.object([
                "resources": .object(Dictionary(decisions.map { ($0.key.text, $0.value) }) { first, _ in first }),
                "suppress": left,
            ]).digest
    }
}

/// Where the list that an audience names is found. A file beside the one that names it goes before one in `lists`.
package enum ListPlace: String, Hashable, Sendable {
    /// Beside the file that names it, and not in the folder of lists.
    case workspace
    /// In the folder of lists, or not there yet: then it is expected there.
    case lists
    /// In the folder of lists that is in a folder of lists.
    case nested
}

extension Definition {
    /// What it decides, in a form that does not depend on the order of keys.
    fileprivate func decision(at place: ListPlace?) -> JSONValue {
        var members = Dictionary(fields.filter(\.isDecision).map { ($0.path, $0.value.canonical) }) { first, _ in first
        }
        if let place, self["source.file"] != nil { members["source.place"] = .string(place.rawValue) }
        return .object(members)
    }

    /// Itself and everything that decides about it.
    fileprivate func reach(among all: [Key: Definition], with others: Set<Key>) -> Set<Key> {
        var found: Set<Key> = []
        var open = [key] + others
        while let next = open.popLast() {
            guard found.insert(next).inserted else { continue }
            open += all[next]?.uses ?? []
        }
        return found
    }
}
