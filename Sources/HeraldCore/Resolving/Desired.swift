package import FCM

/// What the files ask for, with every list resolved to recipients.
package struct Desired: Sendable {
    /// By name.
    package var topics: [DesiredTopic] = []
    package var groups: [DesiredGroup] = []
    package var sends: [DesiredSend] = []
    /// Recipients each audience has, after its exclusions.
    package var audienceSizes: [String: Int] = [:]
    /// How many names fell together: rows that stand twice in a list, and registrations, of whatever list, beyond the
    /// first of one installation.
    package var collapsed = 0
    /// Everybody whom a list names.
    package var listed = RecipientSet()
    /// Those of them whom the state does not know, or not by the registration that is best now.
    package var unrecorded = 0

    package init() {}
}

package struct DesiredTopic: Sendable {
    package var name: TopicName
    package var members: RecipientSet
    package var prune: Bool
    /// Topics whose members move here.
    package var previousNames: [TopicName]

    package init(
        name: TopicName, members: RecipientSet, prune: Bool = true, previousNames: [TopicName] = []
    ) {
        self.name = name
        self.members = members
        self.prune = prune
        self.previousNames = previousNames
    }
}

package struct DesiredGroup: Sendable {
    package var name: GroupName
    package var members: RecipientSet

    package init(name: GroupName, members: RecipientSet) {
        self.name = name
        self.members = members
    }
}

package struct DesiredSend: Sendable {
    package var campaign: Campaign
    /// Whom the requests go to; `[0]` where one request reaches the whole target.
    package var members: RecipientSet

    package init(campaign: Campaign, members: RecipientSet) {
        self.campaign = campaign
        self.members = members
    }
}

extension RecipientSet {
    /// Stands for the target as a whole.
    package static let target: RecipientSet = [0]
}
