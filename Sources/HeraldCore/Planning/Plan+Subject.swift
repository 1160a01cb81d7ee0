internal import FCM

extension Plan {
    /// What memberships belong to, and what sends wait for.
    enum Subject: Hashable, Sendable, CustomStringConvertible {
        case topic(TopicName)
        case group(GroupName)

        var name: String {
            switch self {
            case .topic(let name): name.rawValue
            case .group(let name): name.rawValue
            }
        }

        var description: String {
            switch self {
            case .topic(let name): "topic '\(name)'"
            case .group(let name): "group '\(name)'"
            }
        }
    }
}

extension Plan.Work {
    /// The topic or group whose memberships it changes, if any.
    var subject: Plan.Subject? {
        switch self {
        case .subscribe(let name, _), .unsubscribe(let name, _): .topic(name)
        case .adopt(let adoption): .topic(adoption.topic)
        case .group(let change): .group(change.group)
        case .send: nil
        }
    }

    /// The topics and groups whose changes must be done before it begins.
    var needs: Set<Plan.Subject> {
        guard case .send(let send) = self else { return [] }
        return Set(send.target.topics.map { .topic($0) } + send.target.groups.map { .group($0) })
    }
}
