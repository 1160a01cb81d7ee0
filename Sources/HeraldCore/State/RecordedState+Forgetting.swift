/// What becomes of memberships when FCM says that a registration is dead. It may be wrong, and then herald must still be
/// able to end what it began.
extension RecordedState {
    mutating func forgetMemberships(of members: RecipientSet) {
        for name in topics.keys { topics[name]?.recipients.forget(members) }
        for name in groups.keys { groups[name]?.recipients.forget(members) }
    }

    mutating func reviveMemberships(of members: RecipientSet) {
        for name in topics.keys { topics[name]?.recipients.revive(members) }
        for name in groups.keys { groups[name]?.recipients.revive(members) }
    }
}

/// A relation to a topic or group that can be forgotten.
package protocol Forgettable: Hashable, Sendable {
    /// Those that herald made, or may have made.
    static var own: [Self] { get }
    /// It was one of them when the registration died. No plan uses it.
    static var forgotten: Self { get }
    /// A request may have had its effect. What was forgotten begins again with it.
    static var asked: Self { get }
    /// Those that stay with a recipient who gets another registration, or whose registration dies.
    static var personal: Set<Self> { get }
    /// Whether it says what was, and not what is.
    var isPast: Bool { get }
}

extension Membership: Forgettable {
    package static var own: [Membership] { [.managed, .subscribing] }
    package static var asked: Membership { .subscribing }
    package static var personal: Set<Membership> { [.left] }
    package var isPast: Bool { self == .forgotten || self == .left }
}

extension GroupMembership: Forgettable {
    package static var own: [GroupMembership] { [.member, .adding] }
    package static var asked: GroupMembership { .adding }
    package static var personal: Set<GroupMembership> { [] }
    package var isPast: Bool { self == .forgotten }
}

extension Partition where State: Forgettable {
    /// Whether herald made a membership of one of them, or may have made it.
    func hasOwn(among members: RecipientSet) -> Bool {
        !members.isEmpty && !union(of: State.own + [.forgotten]).intersection(members).isEmpty
    }

    /// Members leave. Memberships that herald made are kept as forgotten, and what belongs to the person stays.
    package mutating func forget(_ members: RecipientSet) {
        let kept = union(of: State.own + [.forgotten]).intersection(members)
        move(members.subtracting(union(of: State.personal)), to: nil)
        move(kept, to: .forgotten)
    }

    package mutating func revive(_ members: RecipientSet) {
        let returning = self[.forgotten].intersection(members)
        if !returning.isEmpty { move(returning, to: .asked) }
    }
}
