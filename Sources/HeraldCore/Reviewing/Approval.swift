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
    ///   - unfetched: audiences whose list was not fetched, because nobody had approved them. No approval covers them here,
    ///     nor what uses them, also if somebody approved them since: nobody knows who is in them.
    package init(_ definitions: [Definition], suppress: Set<String>, unfetched: Set<String> = []) {
        let own = Dictionary(definitions.map { ($0.key, $0) }) { first, _ in first }
        var decisions = own.mapValues(\.decision)
        for name in unfetched { decisions[Definition.Key(kind: .audience, name: name)] = "its list was not fetched" }
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

extension Definition {
    /// What it decides, in a form that does not depend on the order of keys.
    fileprivate var decision: JSONValue {
        .object(
            Dictionary(fields.filter(\.isDecision).map { ($0.path, $0.value.canonical) }) { first, _ in first })
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
