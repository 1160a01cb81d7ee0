internal import Foundation
internal import HeraldCore

/// A row of the table `start_class`.
struct StartNumber: RawRepresentable, Hashable, Sendable {
    let rawValue: Int
}

extension MessageStart {
    /// Its name in the state: `1796112060 news,promo`.
    var storedName: String { "\(Int64(until.timeIntervalSince1970)) \(tags.joined(separator: ","))" }

    /// - Throws: `StateDamage` for anything else.
    init(stored name: String) throws {
        let parts = name.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let seconds = Int64(parts[0]), abs(seconds) < 1 << 40 else {
            throw StateDamage(detail: "it says of messages that they started at no time")
        }
        self.init(
            until: Date(timeIntervalSince1970: Double(seconds)), tags: parts[1].split(separator: ",").map(String.init))
    }
}

extension StateChange {
    /// The statements of changes of what counts for caps. Sets of recipients are written elsewhere.
    var startStatements: [StateStatement] {
        switch self {
        case .started(let id, let members, let start) where !members.isEmpty:
            [
                .init("INSERT INTO @counted (name) VALUES ($1) ON CONFLICT DO NOTHING", .text(id.rawValue)),
                .init(
                    "INSERT INTO @start_class (name, until) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                    .text(start.storedName), .date(start.until)),
            ]
        case .forgetStarts(let instant):
            [
                .init(
                    "DELETE FROM @start WHERE state IN (SELECT id FROM @start_class WHERE until <= $1)",
                    .date(instant)),
                .init("DELETE FROM @start_class WHERE until <= $1", .date(instant)),
                "DELETE FROM @counted WHERE id NOT IN (SELECT counted FROM @start)",
            ]
        default: []
        }
    }
}

extension StateChange {
    /// Gives what occurrences sent names of its own, as `RecordedState.dropOccurrence` does.
    static func settingStartsAside(where condition: String, _ value: String) -> StateStatement {
        let (mark, length) = (RecordedState.droppedMark, RecordedState.droppedMark.count)
        return .init(
            """
            UPDATE @counted AS known SET name = known.name || '\(mark)' || (
                SELECT coalesce(max(CAST(substr(other.name, length(known.name) + \(length + 1)) AS bigint)), 0) + 1
                FROM @counted AS other
                WHERE substr(other.name, 1, length(known.name) + \(length)) = known.name || '\(mark)')
            WHERE known.name IN (SELECT name FROM @occurrence WHERE \(condition))
            """, .text(value))
    }
}

/// The starts of each occurrence, from rows that nobody trusts.
struct StoredStarts {
    private let classes: [StartNumber: MessageStart]
    private let names: [Int64: OccurrenceID]

    /// - Parameters:
    ///   - classes: the rows of `start_class`: id and name.
    ///   - names: the rows of `counted`: id and name.
    init(classes: [(Int64, String)], names: [(Int64, String)]) throws {
        self.classes = Dictionary(
            try classes.map { (StartNumber(rawValue: Int($0)), try MessageStart(stored: $1)) }
        ) { first, _ in first }
        self.names = Dictionary(names.map { ($0, OccurrenceID(rawValue: $1)) }) { first, _ in first }
    }

    func name(_ id: Int64) throws -> OccurrenceID {
        guard let name = names[id] else { throw StateDamage(detail: "it has starts of no occurrence") }
        return name
    }

    func start(_ number: StartNumber) throws -> MessageStart {
        guard let start = classes[number] else { throw StateDamage(detail: "it has starts of no known time") }
        return start
    }

    func starts(
        _ partitions: [Int64: Partition<StartNumber>]
    ) throws -> [OccurrenceID: Partition<MessageStart>] {
        var starts: [OccurrenceID: Partition<MessageStart>] = [:]
        for (id, numbers) in partitions where !numbers.isEmpty {
            var sets: [MessageStart: RecipientSet] = [:]
            for number in numbers.states { sets[try start(number), default: []].formUnion(numbers[number]) }
            starts[try name(id)] = Partition(disjoint: sets)
        }
        return starts
    }
}
