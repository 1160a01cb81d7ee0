package import FCM

/// A device group as far as herald made it what it is: FCM lists neither groups nor members.
package struct RecordedGroup: Hashable, Sendable {
    /// The last one FCM gave; absent while its making is asked for and not answered.
    package var key: NotificationKey?
    package var recipients = Partition<GroupMembership>()

    package init() {}

    package var members: RecipientSet {
        get { recipients[.member] }
        set { recipients[.member] = newValue }
    }

    /// Asked for, and no answer recorded: they may be members.
    package var adding: RecipientSet {
        get { recipients[.adding] }
        set { recipients[.adding] = newValue }
    }
}

/// In what relation a recipient stands to a group.
package enum GroupMembership: Int, Hashable, Sendable, CaseIterable {
    case adding = 0
    case member = 1
}
