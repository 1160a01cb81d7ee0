/// Finds what refers to itself by way of others.
enum Circles {
    /// Searches without recursion, because a chain may be as long as the number of names.
    ///
    /// - Parameters:
    ///   - names: in the order in which they are looked at.
    ///   - uses: what a name refers to. Nothing for a name that nobody declares.
    ///   - report: is called with the names of a circle, the first one also as the last, and with the place of the
    ///     reference that closes it.
    static func find(
        among names: some Sequence<String>, _ uses: (String) -> [Located<String>],
        _ report: ([String], SourceRange) -> Void
    ) {
        var finished: Set<String> = []
        for name in names {
            var path: [(name: String, rest: ArraySlice<Located<String>>)] = []
            var depths: [String: Int] = [:]
            func enter(_ name: String) {
                depths[name] = path.count
                path.append((name, uses(name)[...]))
            }
            if !finished.contains(name) { enter(name) }
            while let last = path.indices.last {
                guard let used = path[last].rest.popFirst() else {
                    let done = path.removeLast()
                    depths[done.name] = nil
                    finished.insert(done.name)
                    continue
                }
                if let depth = depths[used.value] {
                    report(path[depth...].map(\.name) + [used.value], used.range)
                } else if !finished.contains(used.value) {
                    enter(used.value)
                }
            }
        }
    }

    /// The names of a circle for people.
    static func words(_ names: [String]) -> String {
        (names.count <= 8 ? names : names.prefix(4) + ["…"] + names.suffix(3)).joined(separator: " → ")
    }
}
