extension Node {
    /// Whether YAML reads it as null.
    var isNull: Bool {
        guard let scalar, scalar.isPlain, case .null = PlainScalar(scalar.text) else { return false }
        return true
    }

    /// The node with what a patch changes of it (RFC 7396). Every part keeps the place where it is written, so that a
    /// mistake in the whole is reported there.
    func merging(_ patch: Node) -> Node {
        guard let changes = patch.mapping else { return patch }
        let old = mapping ?? []
        var entries: [Node.Entry] = []
        let changed = Dictionary(changes.map { ($0.key, $0) }) { first, _ in first }
        for entry in old {
            guard let change = changed[entry.key] else {
                entries.append(entry)
                continue
            }
            if change.value.isNull { continue }
            entries.append(
                .init(key: entry.key, keyRange: change.keyRange, value: entry.value.merging(change.value)))
        }
        let known = Set(old.map(\.key))
        let nothing = Node(content: .mapping([]), range: patch.range)
        for change in changes where !known.contains(change.key) && !change.value.isNull {
            entries.append(.init(key: change.key, keyRange: change.keyRange, value: nothing.merging(change.value)))
        }
        return Node(content: .mapping(entries), range: mapping == nil ? patch.range : range)
    }

    /// The node at a path of keys.
    func value(at path: String...) -> Node? {
        path.reduce(self) { node, key in node?.mapping?.first { $0.key == key }?.value }
    }

    /// The node at a path of keys and indices, or the last one on the way that exists.
    func nearest(to path: some Sequence<String>) -> Node {
        var node = self
        for step in path {
            let next =
                node.mapping?.first { $0.key == step }?.value
                ?? node.sequence.flatMap { items in
                    Int(step).flatMap { items.indices.contains($0) ? items[$0] : nil }
                }
            guard let next else { break }
            node = next
        }
        return node
    }
}
