internal import FCM

/// How a resource differs between two versions of the files.
package struct WorkspaceChange: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable, CaseIterable {
        case added, removed, changed, renamed
    }

    package struct Field: Hashable, Sendable {
        package var path: String
        /// `nil` if the earlier version does not have it.
        package var before: Definition.Value?
        /// `nil` if the later version does not have it.
        package var after: Definition.Value?
        /// Whether it is the default, which would hold if the file did not say it.
        package var isUsual = false
    }

    package var kind: Definition.Kind
    package var name: String
    /// The earlier name of a renamed resource.
    package var from: String?
    package var action: Action
    /// What was added has only later values, what was removed only earlier ones.
    package var fields: [Field]

    /// The differences between two versions, sorted by kind and name: the settings first, since they hold for all others.
    package static func between(_ before: [Definition], _ after: [Definition]) -> [WorkspaceChange] {
        let earlier = Dictionary(before.map { ($0.key, $0) }) { first, _ in first }
        let origins = Dictionary(after.compactMap { new in new.origin(in: earlier).map { (new.key, $0) } }) {
            first, _ in first
        }
        let known = Set(origins.values)
        let removed = before.filter { !known.contains($0.key) }
            .map { WorkspaceChange(kind: $0.kind, name: $0.name, action: .removed, fields: fields($0, nil)) }
        let others = after.compactMap { definition -> WorkspaceChange? in
            guard let origin = origins[definition.key].flatMap({ earlier[$0] }) else {
                return WorkspaceChange(
                    kind: definition.kind, name: definition.name, action: .added, fields: fields(nil, definition))
            }
            let fields = fields(origin, definition)
            if origin.name != definition.name {
                return WorkspaceChange(
                    kind: definition.kind, name: definition.name, from: origin.name, action: .renamed, fields: fields)
            }
            return fields.isEmpty
                ? nil
                : WorkspaceChange(kind: definition.kind, name: definition.name, action: .changed, fields: fields)
        }
        return (others + removed).sorted { $0.rank < $1.rank }
    }

    private static func fields(_ before: Definition?, _ after: Definition?) -> [Field] {
        let earlier = Dictionary((before?.fields ?? []).map { ($0.path, $0.value) }) { first, _ in first }
        let later = Dictionary((after?.fields ?? []).map { ($0.path, $0.value) }) { first, _ in first }
        let all = (after?.fields ?? []) + (before?.fields ?? []).filter { later[$0.path] == nil }
        // Texts that look the same may have other bytes, and mean something else to FCM and to lists.
        return all.filter { earlier[$0.path]?.canonical.digest != later[$0.path]?.canonical.digest }.map {
            Field(path: $0.path, before: earlier[$0.path], after: later[$0.path], isUsual: $0.isUsual)
        }
    }

    private var rank: (Int, String, Int) {
        let order: [Definition.Kind] = [.settings, .campaign, .topic, .group, .audience]
        return (order.firstIndex(of: kind) ?? 0, name, action == .removed ? 0 : 1)
    }
}

extension Definition {
    /// The resource that it was before. No other resource may have the previous name (`previous-name`).
    fileprivate func origin(in earlier: [Key: Definition]) -> Key? {
        ([name] + previousNames.sorted()).map { Key(kind: kind, name: $0) }.first { earlier[$0] != nil }
    }
}
