internal import FCM

/// What a reviewer approves: everything that the files decide, and nothing that lists, clocks or the state decide.
package struct Approval: Hashable, Sendable {
    /// A digest of each campaign, audience, topic and group, with everything that it refers to.
    package let digests: [Definition.Key: String]
    /// A digest of all of it.
    package let digest: String
    /// How many recipients each has now. Whoever is not in it was not counted. The digests do not cover it.
    package var sizes: [Definition.Key: Int] = [:]

    /// - Parameter suppress: the audiences whose members are left out everywhere.
    package init(_ definitions: [Definition], suppress: Set<String>) {
        let own = Dictionary(definitions.map { ($0.key, $0) }) { first, _ in first }
        let suppressed = Set(suppress.map { Definition.Key(kind: .audience, name: $0) })
        var digests: [Definition.Key: String] = [:]
        for definition in definitions {
            let covered = definition.reach(among: own, with: suppressed)
            digests[definition.key] =
                JSONValue.object(
                    Dictionary(covered.map { ($0.text, own[$0]?.decision ?? .null) }) { first, _ in first }
                        .merging([
                            "resource": .string(definition.key.text),
                            "suppress": .array(suppress.sorted().map { .string($0) }),
                        ]) { _, last in last }
                ).digest
        }
        self.digests = digests
        digest =
            JSONValue.object([
                "resources": .object(Dictionary(definitions.map { ($0.key.text, $0.decision) }) { first, _ in first }),
                "suppress": .array(suppress.sorted().map { .string($0) }),
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
