import FCM
import Foundation
import HeraldTestSupport

@testable import HeraldCore

/// A list, written as a test needs it.
struct SampleList {
    /// The path by which audiences name it.
    var path: String
    var columns: [String] = []
    /// Each row has its attributes in the order of the columns.
    var rows: [(registration: Registration, values: [String])] = []
    /// When each row's app was seen last. Rows beyond the end do not say.
    var seen: [UInt32?] = []
}

extension RecipientIndex {
    /// The index that the loader builds from such lists.
    static func of(
        _ workspace: Workspace, _ lists: [SampleList] = [], budget: Int = EntrySorter.usualBudget
    ) throws -> RecipientIndex {
        var builder = RecipientIndexBuilder(workspace, temporaryFolder: NSTemporaryDirectory(), budget: budget)
        for list in lists {
            let names = workspace.audiences.filter {
                if case .list(let path, _) = $0.source { path.value == list.path } else { false }
            }
            var classifier = builder.classifier(for: Set(names.map(\.name.value)), columns: list.columns)
            for (row, (registration, values)) in list.rows.enumerated() {
                let classes = values.enumerated().map { column, value in
                    var value = value
                    return value.withUTF8 { classifier.classes[column].number(of: $0) }
                }
                guard let membershipClass = classifier.membershipClass(of: classes) else { continue }
                var text = registration.rawValue
                let seen = row < list.seen.count ? list.seen[row] : nil
                text.withUTF8 { builder.add($0, membershipClass, row: row, seen: seen) }
            }
        }
        return try builder.finish()
    }
}

/// The resolver's result for a workspace, with the registration of each recipient in it.
@dynamicMemberLookup
struct Resolved {
    let desired: Desired
    var registrations: [RecipientID: Registration] = [:]
    /// Registrations that the state does not have, or has differently.
    var unrecorded: [RecipientID: Registration] = [:]
    /// The other living registrations of those that have any.
    var others: [RecipientID: [Registration]] = [:]

    init(
        _ workspace: Workspace, _ lists: [SampleList] = [], known: [KnownRecipient] = [], dead: [Tombstone] = [],
        next: RecipientID = 1, budget: Int = EntrySorter.usualBudget
    ) throws {
        let sorter = EntrySorter(folder: NSTemporaryDirectory(), budget: budget)
        for recipient in known { try sorter.append(recipient) }
        for tombstone in dead { try sorter.append(tombstone) }
        let recipientIndex = try RecipientIndex.of(workspace, lists, budget: budget)
        let recipients = ListedRecipients(recipientIndex, recorded: try sorter.finish(), next: next)
        desired = try Resolver.desired(of: workspace, recipients)
        var pass = try recipients.pass(keepingOthers: true)
        while let recipient = try pass.next() {
            registrations[recipient.id] = pass.registration
            if recipient.hasOthers { others[recipient.id] = pass.others }
            if !recipient.isRecorded { unrecorded[recipient.id] = pass.registration }
        }
    }

    subscript<Value>(dynamicMember path: KeyPath<Desired, Value>) -> Value { desired[keyPath: path] }

    func keys(of members: RecipientSet) -> Set<RecipientKey> {
        Set(members.compactMap { registrations[$0]?.recipientKey })
    }

    func keys(of topic: TopicName) -> Set<RecipientKey> {
        keys(of: desired.topics.first { $0.name == topic }?.members ?? [])
    }
}

extension Audience {
    /// The registrations in its own file.
    var inlineRegistrations: [Registration] {
        if case .inline(let registrations) = source { registrations } else { [] }
    }
}
