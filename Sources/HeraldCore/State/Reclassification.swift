/// What becomes known of a topic's members without a request to subscribe or unsubscribe them.
package enum Reclassification: Hashable, Sendable, CaseIterable {
    /// FCM says that they are not subscribed any more.
    case left
    /// Those who had left by themselves are not in the lists any more. If they return to them, that is a new wish.
    case unlisted
    /// They had left the topic's earlier name, or had an earlier registration that left it, so they are not in the topic either.
    case leftEarlierName
    /// herald may unsubscribe from now on whom others subscribed, because the files say so.
    case adopted
    /// What `adopted` did is taken back.
    case returned
    /// FCM says that they are subscribed, and a person says that herald made it so.
    case importedAsManaged
    /// FCM says that they are subscribed.
    case importedAsPreexisting

    /// Whom it concerns: members in these relations.
    private var origins: [Membership] {
        switch self {
        case .left: [.managed, .adopted, .preexisting]
        case .unlisted, .importedAsPreexisting: [.left]
        case .leftEarlierName: []
        case .adopted: [.preexisting]
        case .returned: [.adopted]
        case .importedAsManaged: [.left, .preexisting, .adopted]
        }
    }

    /// Whether it concerns recipients, too, that have no relation to the topic.
    private var takesOthers: Bool {
        switch self {
        case .leftEarlierName, .importedAsManaged, .importedAsPreexisting: true
        case .left, .unlisted, .adopted, .returned: false
        }
    }

    /// `nil` for none.
    package var result: Membership? {
        switch self {
        case .left, .leftEarlierName: .left
        case .unlisted: nil
        case .adopted: .adopted
        case .returned, .importedAsPreexisting: .preexisting
        case .importedAsManaged: .managed
        }
    }

    /// Those among the members whom it concerns. All others stay as they are.
    package func concerned(_ members: RecipientSet, in recipients: Partition<Membership>) -> RecipientSet {
        let known = recipients.union(of: origins).intersection(members)
        return takesOthers ? known.union(members.subtracting(recipients.all)) : known
    }
}
