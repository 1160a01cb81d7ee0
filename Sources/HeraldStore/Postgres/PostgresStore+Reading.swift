package import FCM
internal import Foundation
package import HeraldCore

extension PostgresStore {
    package func snapshot() async throws -> RecordedState {
        try await reading { [seesSecrets] in
            try PostgresReader(transaction: $0, seesSecrets: seesSecrets).snapshot()
        }
    }

    package func occurrence(_ id: OccurrenceID) async throws -> RecordedOccurrence? {
        try await reading { try PostgresReader(transaction: $0).occurrence(id) }
    }

    package func trace(of recipient: RecipientID) async throws -> Trace {
        try await reading { try PostgresReader(transaction: $0).trace(of: recipient) }
    }

    package func starts() async throws -> [OccurrenceID: Partition<MessageStart>] {
        try await reading { transaction in
            let answers = try transaction.commit([
                SliceTable.start.sets(where: "true"), PostgresReader.startClasses, PostgresReader.counted,
            ])
            return try PostgresReader.starts(answers[1], answers[2]).starts(SliceTable.start.partitions(answers[0]))
        }
    }

    package func pauses() async throws -> Pauses {
        try await reading { try PostgresReader.pauses($0.commit([PostgresReader.pauses])[0]) }
    }

    package func history() async throws -> History {
        try await reading { transaction in
            let answers = try transaction.commit([PostgresReader.identity, PostgresReader.stamps])
            return History(
                lineage: try PostgresReader.identity(answers[0]).lineage, stamps: try PostgresReader.stamps(answers[1]))
        }
    }

    package func notes() async throws -> [StateNote: String] {
        try await reading { try PostgresReader.notes($0.commit([PostgresReader.notes])[0]) }
    }

    package func approvals() async throws -> [String: RecordedApproval] {
        try await reading { try PostgresReader.approvals($0.commit([PostgresReader.approvals])[0]) }
    }

    package func recipients(after id: RecipientID, limit: Int) async throws -> [KnownRecipient] {
        try await reading { transaction in
            let page = PostgresStatement(
                "SELECT id, registration FROM @recipient WHERE id > $1 ORDER BY id LIMIT $2", .int(Int64(id)),
                .int(limit))
            return try PostgresReader.recipients(transaction.commit([page])[0])
        }
    }

    package func deathNotices(after last: DeathNotice?, limit: Int) async throws -> [DeathNotice] {
        try await reading { transaction in
            let page = PostgresStatement(
                StoredValue.untold, .text(last?.run ?? ""), .int(last?.number ?? 0), .int(limit))
            return try transaction.commit([page])[0].all.map { row in
                try StoredValue.deathNotice(row.text(0), row.int(1), row.int(2), row.text(3), died: row.double(4))
            }
        }
    }

    package func tombstoneCount() async throws -> Int {
        try await reading { transaction in
            let rows = try transaction.commit([PostgresStatement("SELECT count(*) FROM @tombstone")])[0]
            return Int(try rows.first?.int(0) ?? 0)
        }
    }

    package func tombstones(after last: Tombstone?, limit: Int) async throws -> [Tombstone] {
        try await reading { transaction in
            let page = PostgresStatement(
                StoredValue.tombstones, .int(Int64(last?.recipient ?? 0)), .text(last?.registration.rawValue ?? ""),
                .int(limit))
            return try transaction.commit([page])[0].all.map { row in
                try StoredValue.tombstone(
                    row.int(0), row.text(1), died: row.double(2), row.optionalText(3), row.optionalInt(4))
            }
        }
    }

    package func numbering() async throws -> Numbering? {
        try await reading { transaction in
            let rows = try transaction.commit([PostgresReader.numbering])[0]
            let last = try PostgresReader.last(rows)
            guard let row = rows.first, let version = try row.optionalBytes(0), version.count == Numbering.versionSize
            else { return nil }
            return Numbering(lineage: try row.text(1), version: version, next: last + 1)
        }
    }

    package func recipient(for key: RecipientKey) async throws -> KnownRecipient? {
        try await reading { transaction in
            // A token starts with its installation's key, followed by a colon.
            let search = PostgresStatement(
                """
                SELECT id, registration FROM @recipient
                WHERE registration = $1 OR left(registration, length($1) + 1) = $1 || ':' ORDER BY id
                """, .text(key.rawValue))
            return try PostgresReader.recipients(transaction.commit([search])[0])
                .first { $0.registration.recipientKey == key }
        }
    }

    package func registrations(of recipients: RecipientSet) async throws -> [RecipientID: Registration] {
        try await reading { transaction in
            let ids = PostgresValue.ints(recipients.map { Int64($0) })
            let answers = try transaction.commit(
                ["recipient", "former"].map {
                    PostgresStatement("SELECT id, registration FROM @\($0) WHERE id = ANY ($1)", ids)
                })
            var found: [RecipientID: Registration] = [:]
            found.reserveCapacity(recipients.count)
            for (rows, isFormer) in zip(answers, [false, true]) {
                for row in rows.all {
                    let known = try StoredValue.recipient(row.int(0), row.text(1), isFormer: isFormer)
                    found[known.id] = known.registration
                }
            }
            return found
        }
    }

    package func check() async throws {
        for name in try await snapshot().occurrences.keys { _ = try await occurrence(name) }
        var last: RecipientID = 0
        while let next = try await recipients(after: last, limit: 10_000).last?.id { last = next }
    }
}
