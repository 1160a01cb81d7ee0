internal import FCM

/// What a plan's document says of the files that it was made from: enough to see whether other files decide the same.
package struct ApprovedPlan: Hashable, Sendable {
    /// A digest of all that the files decide.
    package let approval: String
    /// By `kind:name`.
    package let definitions: [String: Part]

    package struct Part: Hashable, Sendable {
        package let digest: String
        /// How many recipients it had. `nil` if they were not counted.
        package let size: Int?
    }

    package init(reading bytes: [UInt8]) throws(SavedPlan.Problem) {
        guard let members = (try? JSONValue(parsing: bytes))?.object, members["schema"]?.string == "herald.plan/1",
            let approval = members["approval"]?.string, let listed = members["definitions"]?.object
        else { throw .unreadable }
        self.approval = approval
        var definitions: [String: Part] = [:]
        for (name, part) in listed {
            guard Definition.Key(name) != nil, let digest = part["digest"]?.string else { throw .unreadable }
            switch part["size"] {
            case .int(let size)? where size >= 0: definitions[name] = Part(digest: digest, size: Int(size))
            case .null?: definitions[name] = Part(digest: digest, size: nil)
            default: throw .unreadable
            }
        }
        self.definitions = definitions
    }

    /// What the files decide in another way than those of this plan, in words. Empty if they decide the same.
    package func differences(from files: Approval) -> [String] {
        guard files.digest != approval else { return [] }
        let current = Dictionary(files.digests.map { ($0.key.text, $0.value) }) { first, _ in first }
        let changed = Set(current.keys).union(definitions.keys)
            .filter { current[$0] != definitions[$0]?.digest }.sorted()
        let words = changed.map { name in
            let subject = Definition.Key(name)?.words ?? name
            return current[name] == nil
                ? "\(subject) is gone" : definitions[name] == nil ? "\(subject) is new" : subject
        }
        // Someone altered one of the two by hand.
        return words.isEmpty ? ["its approval"] : words
    }

    /// Why the plan does not cover what is to be done: a list grew too much.
    package func excesses(of plan: Plan, _ files: Approval, _ settings: ApprovalSettings) -> [String] {
        let resources = plan.steps.map(\.resource).reduce(into: [Definition.Key]()) { known, resource in
            if !known.contains(resource) { known.append(resource) }
        }
        return resources.compactMap { resource in
            guard let seen = definitions[resource.text]?.size, let now = files.sizes[resource] else { return nil }
            return settings.excess(of: now, over: seen).map { "\(plan.words(for: resource)): \($0)" }
        }
    }

    /// What to record of it.
    ///
    /// - Parameter known: What was approved before. Whoever approved the same before stays named.
    package func recorded(by name: String, at instant: Date, after known: [String: RecordedApproval])
        -> [String: RecordedApproval]
    {
        Dictionary(
            definitions.map { resource, part in
                var approval = RecordedApproval(digest: part.digest, size: part.size, by: name, at: instant)
                if let earlier = known[resource], earlier.digest == part.digest {
                    (approval.by, approval.at) = (earlier.by, earlier.at)
                    approval.size = part.size ?? earlier.size
                }
                return (resource, approval)
            }, uniquingKeysWith: { first, _ in first })
    }
}

extension Plan {
    /// A campaign is named with its target, since it is the target that grows.
    fileprivate func words(for resource: Definition.Key) -> String {
        for case .send(let send) in steps.map(\.work) where resource.kind == .campaign && send.campaign == resource.name
        {
            return "\(resource.words) to \(send.target.words)"
        }
        return resource.words
    }
}
