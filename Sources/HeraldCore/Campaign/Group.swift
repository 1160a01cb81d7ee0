package import FCM

/// An FCM device group with the members it should have.
package struct Group: Hashable, Sendable {
    /// FCM's limit on the members of one group.
    package static let maximumMembers = 20

    package var name: Located<GroupName>
    package var members: Members

    package enum Members: Hashable, Sendable {
        case audience(Located<String>)
        case inline([Registration])
    }
}
