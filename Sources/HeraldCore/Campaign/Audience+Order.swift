extension Audience {
    /// The audiences it is made of: the one it begins with, then those it leaves out.
    package var uses: [Located<String>] {
        if case .audience(let name) = source { [name] + exclude } else { exclude }
    }
}

extension Sequence<Audience> {
    /// The named audiences and all that they are made of, each behind what it is made of. Names that nobody declares
    /// are left out; of a circle the order is that of one way round.
    ///
    /// Without recursion: a chain may be as long as there are audiences.
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
}
