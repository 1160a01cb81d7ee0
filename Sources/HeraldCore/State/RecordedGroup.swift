package import FCM

/// A device group as far as herald changed it. FCM lists neither groups nor members.
package struct RecordedGroup: Hashable, Sendable {
    /// The last key that FCM gave. `nil` while the request to create the group has no answer.
    package var key: NotificationKey?
    package var recipients = Partition<GroupMembership>()

    package init() {}

    package var members: RecipientSet {
        get { recipients[.member] }
        set { recipients[.member] = newValue }
    }

    /// A request to add or remove them left, and no answer is recorded. They may be members.
    package var adding: RecipientSet {
        get { recipients[.adding] }
        set { recipients[.adding] = newValue }
    }
}

/// How a recipient relates to a group.
package enum GroupMembership: Int, Hashable, Sendable, CaseIterable {
    case adding = 0
    case member = 1
    case forgotten = 2
}
