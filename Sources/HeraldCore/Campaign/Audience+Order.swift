extension Audience {
    /// The audiences that it refers to: its source first, then the excluded ones.
    package var uses: [Located<String>] {
        if case .audience(let name) = source { [name] + exclude } else { exclude }
    }
}

extension Workspace {
    /// These audiences, and all others that are made from them or exclude them.
    package func dependents(of audiences: Set<String>) -> Set<String> {
        var names = audiences
        if names.isEmpty { return [] }
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for other in self.audiences where !names.contains(other.name.value) {
                if other.uses.contains(where: { names.contains($0.value) }) {
                    names.insert(other.name.value)
                    isGrowing = true
                }
            }
        }
        return names
    }
}

extension Sequence<Audience> {
    /// The named audiences and all that they refer to, each one after those that it refers to. Undeclared names are
    /// left out. Audiences that refer to each other in a circle come in the order of one way around it.
    package func inOrder(from names: some Sequence<String>) -> [Audience] {
        let audiences = Array(self)
        return audiences.places(from: names).map { audiences[$0] }
    }
}

extension [Audience] {
    /// The places of `inOrder(from:)`.
    ///
    /// This is not recursive, because a chain may be as long as the number of audiences.
    fileprivate func places(from names: some Sequence<String>) -> [Int] {
        var names = names.makeIterator()
        guard var name = names.next() else { return [] }
        let declared = Dictionary(lazy.enumerated().map { ($1.name.value, $0) }) { first, _ in first }
        var entered = [Bool](repeating: false, count: count)
        var ordered: [Int] = []
        var path: [(place: Int, rest: ArraySlice<Located<String>>)] = []
        func enter(_ name: String) {
            guard let place = declared[name], !entered[place] else { return }
            entered[place] = true
            path.append((place, self[place].uses[...]))
        }
        while true {
            enter(name)
            while let last = path.indices.last {
                if let used = path[last].rest.popFirst() {
                    enter(used.value)
                } else {
                    ordered.append(path.removeLast().place)
                }
            }
            guard let next = names.next() else { return ordered }
            name = next
        }
    }
}

/// For each audience the one at the end of its chain of sources: with a list or registrations of its own. Those of a chain
/// that is a circle, or ends at an audience that is not declared, are missing.
struct AudienceSources {
    private let audiences: [Audience]
    private var places: [String: Int] = [:]

    init(_ audiences: [Audience]) {
        self.audiences = audiences
        for place in audiences.places(from: audiences.lazy.map(\.name.value)) {
            let audience = audiences[place]
            if case .audience(let from) = audience.source {
                places[audience.name.value] = places[from.value]
            } else {
                places[audience.name.value] = place
            }
        }
    }

    subscript(_ name: String) -> Audience? { places[name].map { audiences[$0] } }
}
