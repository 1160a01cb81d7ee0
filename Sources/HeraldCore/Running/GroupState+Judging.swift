internal import FCM

/// How a step about a device group begins, and what it does after each answer.
extension GroupState {
    var firstAct: Act {
        switch change.action {
        // Without an answer to the request that creates it, a group that others made looks like herald's own.
        case .create: isRecorded ? creating : .call(.look)
        case .add: .join
        // If the answer is lost, nobody takes them for members: the next run adds those whom the files list again.
        case .remove, .delete:
            .write([.groupMembers(change.group, change.members, .adding)], then: withKey { .remove($0, again: nil) })
        }
    }

    /// If the answer is lost, the intent tells the next run that a group of this name is herald's.
    private var creating: Act {
        .write([.groupMembers(change.group, change.members, .adding)], then: .call(.create))
    }

    var joining: Act {
        let fresh = change.members.subtracting(group.members)
        return .write([.groupMembers(change.group, fresh, .adding)], then: withKey { .add($0, again: nil) })
    }

    /// Calls with the recorded key, or asks FCM for the key of the name first.
    private func withKey(_ purpose: (NotificationKey) -> Purpose) -> Act {
        .call(group.key.map(purpose) ?? .findKey)
    }

    private var isLeave: Bool { Plan.Action.group(change.action).effect == .leaves }

    /// The members that the group is created again with.
    private var everybody: RecipientSet { change.members.union(group.members) }

    func operation(for purpose: Purpose) -> GroupOperation {
        let members = { (members: RecipientSet) in members.compactMap { registrations[$0] } }
        return switch purpose {
        case .create: .create(change.group, members(change.members))
        case .remake: .create(change.group, members(everybody))
        case .add(let key, _): .add(change.group, key, members(change.members))
        case .joinRemade(let key, _): .add(change.group, key, members(everybody))
        case .remove(let key, _): .remove(change.group, key, members(change.members))
        case .look, .adopt, .findKey, .correctKey, .findRemade: .retrieve(change.group)
        }
    }

    mutating func act(on verdict: GroupVerdict, _ purpose: Purpose, _ context: RunContext) -> Act {
        switch purpose {
        case .look: return looked(verdict, context)
        case .create: return created(verdict, context)
        case .add(_, let failure): return added(verdict, again: failure)
        case .remove(let key, let failure): return removed(verdict, key, again: failure)
        case .remake: return remade(verdict)
        case .joinRemade(_, let failure):
            if case .done(let key) = verdict { return keep(key, everybody) }
            return .reject(failure)
        case .adopt, .findKey, .correctKey, .findRemade: return retrieved(verdict, purpose)
        }
    }

    private mutating func looked(_ verdict: GroupVerdict, _ context: RunContext) -> Act {
        switch verdict {
        case .done(let key):
            guard mayTake(context) else { return foreign }
            group.key = key
            return .write([.groupKey(change.group, key)], then: .join)
        case .notFound: return creating
        case .alreadyExists(let failure), .noValidRegistrations(let failure), .nameMismatch(let failure),
            .rejected(let failure):
            return .reject(failure)
        case .again, .unauthenticated, .stop: return .end
        }
    }

    /// Whether a person lets herald take over a group that others made.
    private func mayTake(_ context: RunContext) -> Bool {
        context.options.overrides.allow(.foreignGroup, for: change.group.rawValue)
    }

    private var foreign: Act {
        .block(
            .forbidden(
                .foreignGroup, name: change.group.rawValue,
                finding: "the group exists at FCM, and herald did not make it"))
    }

    private mutating func created(_ verdict: GroupVerdict, _ context: RunContext) -> Act {
        let drop = StateChange.drop(.group(change.group))
        switch verdict {
        case .done(let key): return keep(key, change.members)
        case .alreadyExists:
            return isOurs || mayTake(context) ? .call(.adopt) : foreign
        case .noValidRegistrations(let failure): return .write([drop], then: .forget(failure))
        case .notFound(let failure), .nameMismatch(let failure), .rejected(let failure):
            return isOurs ? .reject(failure) : .write([drop], then: .reject(failure))
        case .again, .unauthenticated, .stop: return .end
        }
    }

    private mutating func added(_ verdict: GroupVerdict, again first: Failure?) -> Act {
        if case .done(let key) = verdict { return keep(key, change.members) }
        if let first { return .reject(first) }
        switch verdict {
        case .notFound: return remake
        case .nameMismatch(let failure): return .call(.correctKey(failure))
        case .noValidRegistrations(let failure): return .forget(failure)
        case .alreadyExists(let failure), .rejected(let failure):
            // Recipients that an earlier attempt tried to add may be members already, even if this one failed. Their
            // state stays.
            if mayHaveJoined { return .reject(failure) }
            let fresh = change.members.subtracting(group.members).subtracting(group.adding)
            return .write([.groupMembers(change.group, fresh, nil)], then: .reject(failure))
        case .done, .again, .unauthenticated, .stop: return .end
        }
    }

    private var remake: Act { .read(everybody, then: .call(.remake)) }

    private mutating func remade(_ verdict: GroupVerdict) -> Act {
        switch verdict {
        case .done(let key): return keep(key, everybody)
        case .noValidRegistrations(let failure):
            return .write([.drop(.group(change.group))], then: .forget(failure))
        case .alreadyExists(let failure): return .call(.findRemade(failure))
        case .notFound(let failure), .nameMismatch(let failure), .rejected(let failure): return .reject(failure)
        case .again, .unauthenticated, .stop: return .end
        }
    }

    private mutating func removed(_ verdict: GroupVerdict, _ key: NotificationKey, again first: Failure?) -> Act {
        if case .done(let key) = verdict { return leave(key) }
        if let first { return .reject(first) }
        switch verdict {
        case .notFound: return vanish
        case .nameMismatch(let failure): return .call(.correctKey(failure))
        // None of them is a member any more, which is what was wanted.
        case .noValidRegistrations: return leave(key)
        case .alreadyExists(let failure), .rejected(let failure): return .reject(failure)
        case .done, .again, .unauthenticated, .stop: return .end
        }
    }

    /// What follows when FCM has given the group's key, or has said that there is no such group.
    private mutating func retrieved(_ verdict: GroupVerdict, _ purpose: Purpose) -> Act {
        let key: NotificationKey?
        switch verdict {
        case .done(let known): key = known
        case .notFound, .again, .unauthenticated, .stop: key = nil
        // These say nothing about the group.
        case .alreadyExists(let failure), .noValidRegistrations(let failure), .nameMismatch(let failure),
            .rejected(let failure):
            return .stop(.answered(failure))
        }
        switch (purpose, key) {
        case (.adopt, _):
            group.key = key
            return .write([.groupKey(change.group, key)], then: .join)
        case (.findRemade(let failure), let key): return key.map { .call(.joinRemade($0, failure)) } ?? .reject(failure)
        case (.correctKey(let failure), let key?):
            return .call(isLeave ? .remove(key, again: failure) : .add(key, again: failure))
        case (_, let key?): return .call(isLeave ? .remove(key, again: nil) : .add(key, again: nil))
        case (_, nil): return isLeave ? vanish : remake
        }
    }

    // MARK: Outcomes

    private mutating func keep(_ key: NotificationKey, _ members: RecipientSet) -> Act {
        group.key = key
        return .write([.groupKey(change.group, key), .groupMembers(change.group, members, .member)], then: .accept)
    }

    private mutating func leave(_ key: NotificationKey) -> Act {
        group.key = key
        return .write(
            change.action == .delete
                ? [.drop(.group(change.group))]
                : [.groupKey(change.group, key), .groupMembers(change.group, change.members, nil)],
            then: .accept)
    }

    /// There is no such group at FCM, so it has no members. If it is wanted, the next plan creates it again.
    private var vanish: Act { .write([.drop(.group(change.group))], then: .accept) }
}
