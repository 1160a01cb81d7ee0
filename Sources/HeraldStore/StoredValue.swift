internal import FCM
internal import Foundation
internal import HeraldCore

/// What a store holds cannot have been written by herald.
struct StateDamage: Error {
    var detail: String
}

/// Checks values that a store holds. A damaged one may hold anything in their place.
enum StoredValue {
    static func topicName(_ text: String) throws -> TopicName {
        guard let name = TopicName(rawValue: text) else { throw StateDamage(detail: "it names no topic") }
        return name
    }

    static func groupName(_ text: String) throws -> GroupName {
        guard let name = GroupName(rawValue: text) else { throw StateDamage(detail: "it names no group") }
        return name
    }

    /// The upper half of the numbers stays free for new recipients from lists.
    static func recipientID(_ value: Int64) throws -> RecipientID {
        guard let id = RecipientID(exactly: value), (KnownRecipient.firstID..<RecipientID.max / 2).contains(id) else {
            throw StateDamage(detail: "a recipient's number is out of range")
        }
        return id
    }

    static func formerID(_ value: Int64) throws -> RecipientID {
        guard let id = RecipientID(exactly: value), (KnownRecipient.firstFormer..<RecipientID.max).contains(id) else {
            throw StateDamage(detail: "a former number is out of range")
        }
        return id
    }

    /// Tombstones: `$3` of them, after the recipient and the registration `$1`, `$2`.
    static let tombstones = """
        SELECT recipient, registration, died, CASE WHEN NOT told THEN noted_run END, noted_number FROM @tombstone
        WHERE (recipient, registration) > ($1, $2) ORDER BY recipient, registration LIMIT $3
        """

    static func tombstone(
        _ id: Int64, _ registration: String, died: Double, _ run: String?, _ number: Int64?
    ) throws -> Tombstone {
        let known = try recipient(id, registration)
        var tombstone = Tombstone(recipient: known.id, registration: known.registration, died: try date(died))
        if let run, let number { tombstone.notice = .init(run: run, number: number) }
        return tombstone
    }

    /// The deaths that are numbered and that nobody was told of yet: `$3` of them, after the run and number `$1`, `$2`.
    static let untold = """
        SELECT noted_run, noted_number, recipient, registration, died FROM @tombstone
        WHERE (noted_run, noted_number) > ($1, $2) AND NOT told ORDER BY noted_run, noted_number LIMIT $3
        """

    static func deathNotice(
        _ run: String, _ number: Int64, _ id: Int64, _ registration: String, died: Double
    ) throws -> DeathNotice {
        DeathNotice(
            run: run, number: number, registration: try recipient(id, registration).registration, died: try date(died))
    }

    /// Years 1 to 9999. herald never writes other times, and arithmetic with them is not safe.
    static func date(_ seconds: Double) throws -> Date {
        guard (-62_135_596_800..<253_402_300_800).contains(seconds) else {
            throw StateDamage(detail: "a time is out of range")
        }
        return Date(timeIntervalSince1970: seconds)
    }

    static func stages(_ text: String?) throws -> [RecordedStage] {
        guard let stages = RecordedStage.stages(in: text) else { throw StateDamage(detail: "a stage cannot be read") }
        return stages
    }

    /// The seconds until something; below 0 it is past. herald writes no times that are centuries away, and arithmetic
    /// with them is not safe.
    static func span(_ seconds: Double) throws -> Double {
        guard (-1e10...1e10).contains(seconds) else { throw StateDamage(detail: "a time is out of range") }
        return seconds
    }

    /// A part of a run's rates.
    static func share(_ parts: Int64) throws -> Share {
        guard (0...Int64(Share.whole.parts)).contains(parts) else {
            throw StateDamage(detail: "a share of the rates is out of range")
        }
        return Share(parts: Int(parts))
    }

    /// How many recipients something has.
    static func size(_ number: Int64) throws -> Int {
        guard (0...Int64(RecipientID.max)).contains(number) else {
            throw StateDamage(detail: "a size is out of range")
        }
        return Int(number)
    }

    /// - Parameter found: `nil` where there is no quota.
    static func sendQuota(_ perMinute: Int64?, _ found: Double?) throws -> RecordedState.SendQuota? {
        guard let perMinute else { return nil }
        guard let number = Int(exactly: perMinute), RecordedState.SendQuota.possible.contains(number), let found else {
            throw StateDamage(detail: "its quota is out of range")
        }
        return RecordedState.SendQuota(perMinute: number, at: try date(found))
    }

    static func stamps(_ rows: [(number: Int64, id: String)]) throws -> Stamps {
        guard let stamps = Stamps(rows.map { Stamp(number: $0.number, id: $0.id) }) else {
            throw StateDamage(detail: "it lacks one of its stamps")
        }
        return stamps
    }

    static func localTime(_ text: String?) throws -> LocalTime? {
        try text.map { text in
            guard let time = LocalTime(written: text) else {
                throw StateDamage(detail: "an occurrence has a local time that is none")
            }
            return time
        }
    }

    static func halt(_ text: String?) throws -> RecordedOccurrence.Halt? {
        guard let text else { return nil }
        guard let halt = RecordedOccurrence.Halt(rawValue: text) else {
            throw StateDamage(detail: "an occurrence waits for a reason that is none")
        }
        return halt
    }

    static func commit(_ id: String, _ seconds: Double) throws -> AppliedCommit {
        guard let commit = AppliedCommit(id: id, committed: try date(seconds)) else {
            throw StateDamage(detail: "it has no id where one of a commit belongs")
        }
        return commit
    }

    static func recipient(_ id: Int64, _ registration: String, isFormer: Bool = false) throws -> KnownRecipient {
        let id = try (isFormer ? formerID : recipientID)(id)
        guard let registration = Registration(registration) else {
            throw StateDamage(detail: "a registration has not the form of one")
        }
        return KnownRecipient(id: id, registration: registration)
    }
}
