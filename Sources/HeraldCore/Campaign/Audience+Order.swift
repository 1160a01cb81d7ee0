extension Audience {
    /// The audiences that it refers to: its source first, then the excluded ones.
    package var uses: [Located<String>] {
        if case .audience(let name) = source { [name] + exclude } else { exclude }
    }
}

extension Sequence<Audience> {
    /// The named audiences and all that they refer to, each one after those that it refers to. Undeclared names are
    /// left out. Audiences that refer to each other in a circle come in the order of one way around it.
    ///
    /// This is not recursive, because a chain may be as long as the number of audiences.
    package func inOrder(from names: some Sequence<String>) -> [Audience] {
        let declared = Dictionary(map { ($0.name.value, $0) }) { first, _ in first }
        var entered: Set<String> = []
        var ordered: [Audience] = []
        for name in names {
            var path: [(audience: Audience, rest: ArraySlice<Located<String>>)] = []
            let enter = { (name: String) in
                guard let audience = declared[name], entered.insert(name).inserted else { return }
                path.append((audience, audience.uses[...]))
            }
            enter(name)
            while let last = path.indices.last {
                if let used = path[last].rest.popFirst() {
                    enter(used.value)
                } else {
                    ordered.append(path.removeLast().audience)
                }
            }
        }
        return ordered
    }

    /// For each audience the one at the end of its chain of sources: with a list or registrations of its own. Those of a
    /// chain that is a circle, or ends at an audience that is not declared, are missing.
    var sources: [String: Audience] {
        var ends: [String: Audience] = [:]
        for audience in inOrder(from: map(\.name.value)) {
            if case .audience(let from) = audience.source {
                ends[audience.name.value] = ends[from.value]
            } else {
                ends[audience.name.value] = audience
            }
        }
        return ends
    }
}
