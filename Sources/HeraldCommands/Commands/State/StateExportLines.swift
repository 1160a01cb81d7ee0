import FCM
import HeraldCore

/// What `state export` prints. Recipients are read in parts, so that memory does not grow with their number.
struct StateExportLines {
    private static let partSize = 4096

    private let recorded: RecordedState
    private let topics: [(key: TopicName, value: RecordedTopic)]
    private let groups: [(key: GroupName, value: RecordedGroup)]
    private let names: Fingerprinter

    init(_ recorded: RecordedState, _ names: Fingerprinter) {
        self.recorded = recorded
        self.names = names
        topics = recorded.topics.sorted { $0.key < $1.key }
        groups = recorded.groups.sorted { $0.key < $1.key }
    }

    var parts: [RecipientSet] {
        let numbers = Array(RecipientSet(KnownRecipient.firstID..<recorded.nextRecipient))
        return stride(from: 0, to: numbers.count, by: Self.partSize).map {
            RecipientSet(numbers[$0..<min($0 + Self.partSize, numbers.count)])
        }
    }

    /// One line for each recipient, in the order of their numbers.
    func text(of registrations: [RecipientID: Registration]) -> String {
        registrations.sorted { $0.key < $1.key }.map { line($0.key, $0.value).compactText + "\n" }.joined()
    }

    func line(of tombstone: Tombstone) -> String {
        let registration = tombstone.registration
        let line: JSONValue = [
            "registration": .string(names.name(registration)), "kind": .string(registration.kind.rawValue),
            "dead": true, "died": .string(tombstone.died.rfc3339), "topics": [], "groups": [],
        ]
        return line.compactText + "\n"
    }

    private func line(_ id: RecipientID, _ registration: Registration) -> JSONValue {
        [
            "registration": .string(names.name(registration)), "kind": .string(registration.kind.rawValue),
            "dead": .bool(recorded.dead.contains(id)),
            "topics": .array(
                topics.filter { $0.value.subscribers.contains(id) }
                    .map { .string($0.key.rawValue) }),
            "groups": .array(groups.filter { $0.value.members.contains(id) }.map { .string($0.key.rawValue) }),
        ]
    }
}
