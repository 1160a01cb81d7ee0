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
            // There are no more recipients than numbers.
            case .int(let size)? where 0...Int64(RecipientID.max) ~= size:
                definitions[name] = Part(digest: digest, size: Int(size))
            case .null?: definitions[name] = Part(digest: digest, size: nil)
            default: throw .unreadable
            }
        }
        self.definitions = definitions
    }

    /// Whether a herald wrote it whose approvals cover less: not the settings, and not where a list is.
    package var isOlder: Bool { definitions[Definition.Key.settings.text] == nil }

    /// In words: what the files decide differently from the files of this plan. Empty if they decide the same.
    package func differences(from files: Approval) -> [String] {
        let current = Dictionary(files.digests.map { ($0.key.text, $0.value) }) { first, _ in first }
        let changed = Set(current.keys).union(definitions.keys)
            .filter { current[$0] != definitions[$0]?.digest }.sorted()
        let words = changed.map { name in
            let subject = Definition.Key(name)?.words ?? name
            return current[name] == nil
                ? "\(subject) is gone" : definitions[name] == nil ? "\(subject) is new" : subject
        }
        // If only this differs, somebody altered the file by hand.
        return words.isEmpty && files.digest != approval ? ["its approval"] : words
    }

    /// In words: which sizes of the plan differ too much from those of the files here. A list may have changed a little
    /// since, in both directions. Sizes that were not counted are not compared.
    package func sizeDifferences(from files: Approval, _ settings: ApprovalSettings) -> [String] {
        guard !files.sizes.isEmpty, definitions.values.contains(where: { $0.size != nil }) else { return [] }
        return files.digests.keys.sorted().compactMap { key in
            let (seen, now) = (definitions[key.text]?.size, files.sizes[key])
            if seen == now { return nil }
            if let seen, let now, now <= settings.limit(approved: seen), seen <= settings.limit(approved: now) {
                return nil
            }
            let words = { (size: Int?) in size.map { "\($0)" } ?? "unknown" }
            return "\(key.words) (\(words(seen)) in the plan, \(words(now)) here)"
        }
    }

    /// Why the plan does not cover what is to be done: a list grew too much.
    package func excesses(of plan: Plan, _ files: Approval, _ settings: ApprovalSettings) -> [String] {
        plan.steps.reduce(into: []) { told, step in
            guard let seen = definitions[step.resource.text]?.size, let now = step.size(in: files),
                let excess = settings.excess(of: now, over: seen)
            else { return }
            let words = "\(plan.words(for: step.resource)): \(excess)"
            if !told.contains(words) { told.append(words) }
        }
    }

    /// What to record: what was worked out from the files. The plan can only make a size smaller. What was not counted has
    /// no size, whatever was recorded before.
    ///
    /// - Parameter known: What was approved before. If the same was approved before, for as many, that person stays named.
    package func recorded(
        _ files: Approval, by name: String, at instant: Date, after known: [String: RecordedApproval]
    ) -> [String: RecordedApproval] {
        Dictionary(
            files.digests.map { key, digest in
                let size = files.sizes[key].map { min($0, definitions[key.text]?.size ?? $0) }
                var approval = RecordedApproval(digest: digest, size: size, by: name, at: instant)
                if let earlier = known[key.text], earlier.digest == digest, earlier.allows(size) {
                    (approval.by, approval.at) = (earlier.by, earlier.at)
                }
                return (key.text, approval)
            }, uniquingKeysWith: { first, _ in first })
    }
}

extension RecordedApproval {
    /// Whether it was for as many recipients. Where none were counted, only guards limit them.
    fileprivate func allows(_ size: Int?) -> Bool {
        guard let seen = self.size else { return true }
        return size.map { $0 <= seen } ?? false
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
