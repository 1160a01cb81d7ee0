internal import FCM
internal import Foundation
internal import HeraldCore

extension StateChange {
    /// Does to the tables what `RecordedState.apply` does to the value.
    func write(to transaction: PostgresTransaction) throws {
        switch self {
        case .register(let registrations):
            Self.register(registrations, transaction)
        case .supersede(let members):
            try Self.supersede(members, transaction)
        case .readopt(let formers):
            try Self.readopt(formers, transaction)
        case .spendPlan(let id):
            transaction.run("INSERT INTO @spent_plan (id) VALUES ($1) ON CONFLICT DO NOTHING", .text(id))
        case .members(let name, let members, let membership, let instant):
            transaction.run(
                """
                INSERT INTO @topic (name, changed) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET changed = excluded.changed
                """, .text(name.rawValue), .date(instant))
            SliceTable.membership.put(members, of: .named(name.rawValue, in: "topic"), membership, transaction)
        case .open, .assign, .amend, .outcome, .reject, .finish, .prune, .reopen:
            try writeOccurrence(to: transaction)
        case .forget(let members, let instant):
            Self.bury(members, at: instant, transaction)
            SliceTable.membership.forget(members, in: transaction)
            SliceTable.groupMembership.forget(members, in: transaction)
        case .revive(let members):
            Self.reviveMemberships(of: members, transaction)
        case .died(let tombstone):
            transaction.run(
                """
                INSERT INTO @tombstone (recipient, registration, died, migrated) VALUES ($1, $2, $3, false)
                ON CONFLICT (recipient, registration) DO UPDATE SET died = excluded.died, migrated = false
                """, .int(Int64(tombstone.recipient)), .text(tombstone.registration.rawValue), .date(tombstone.died))
        case .reviveMigrated:
            transaction.run("DELETE FROM @tombstone WHERE migrated")
            Self.renewNumbering(transaction)
        case .groupKey(let name, let key):
            transaction.run(
                """
                INSERT INTO @device_group (name, notification_key) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET notification_key = excluded.notification_key
                """, .text(name.rawValue), .text(key?.rawValue))
        case .groupMembers(let name, let members, let membership):
            transaction.run(
                "INSERT INTO @device_group (name) VALUES ($1) ON CONFLICT DO NOTHING", .text(name.rawValue))
            SliceTable.groupMembership.put(
                members, of: .named(name.rawValue, in: "device_group"), membership, transaction)
        case .audienceSizes(let sizes):
            transaction.run("DELETE FROM @audience_size")
            transaction.run(
                "INSERT INTO @audience_size (name, size) SELECT * FROM unnest($1::text[], $2::bigint[])",
                .texts(Array(sizes.keys)), .ints(sizes.values.map { Int64($0) }))
        case .watermark(let campaign, let mark):
            transaction.run(
                """
                INSERT INTO @watermark (campaign, at, schedule, next) VALUES ($1, $2, $3, $4)
                ON CONFLICT (campaign) DO UPDATE
                SET at = excluded.at, schedule = excluded.schedule, next = excluded.next
                """, .text(campaign), .date(mark.at), .text(mark.schedule), .date(mark.next))
        case .rename(let old, let new):
            Self.rename(old, to: new, transaction)
        case .pause(let campaign):
            transaction.run("INSERT INTO @pause (campaign) VALUES ($1) ON CONFLICT DO NOTHING", .text(campaign ?? ""))
        case .resume(let campaign?):
            transaction.run("DELETE FROM @pause WHERE campaign = $1", .text(campaign))
        case .resume(nil):
            transaction.run("DELETE FROM @pause")
        case .topicAPI(let api, let now):
            transaction.run(
                "UPDATE @progress SET topic_api = $1, topic_api_found = $2", .text(api.rawValue), .date(now))
        case .sendQuota(let perMinute, let now):
            transaction.run(
                "UPDATE @progress SET send_quota = $1, send_quota_found = $2", .int(perMinute), .date(now))
        case .test(let test):
            transaction.run(
                "INSERT INTO @test (campaign, at, accepted, rejected, unknown) VALUES ($1, $2, $3, $4, $5)",
                .text(test.campaign), .date(test.at), .int(test.accepted), .int(test.rejected), .int(test.unknown))
        case .applied(let commit):
            transaction.run("DELETE FROM @applied_commit WHERE id = $1", .text(commit.id))
            transaction.run(
                "INSERT INTO @applied_commit (id, committed) VALUES ($1, $2)", .text(commit.id),
                .date(commit.committed))
        case .approve(let approvals):
            transaction.run("DELETE FROM @approval")
            for (resource, approval) in approvals {
                transaction.run(
                    "INSERT INTO @approval (resource, digest, size, approved_by, at) VALUES ($1, $2, $3, $4, $5)",
                    .text(resource), .text(approval.digest), .int(approval.size.map { Int64($0) }),
                    .text(approval.by), .date(approval.at))
            }
        case .halt(let id, let halt):
            transaction.run(
                "UPDATE @occurrence SET halted = $2 WHERE name = $1 AND finished IS NULL", .text(id.rawValue),
                .text(halt?.rawValue))
        case .erase(let members):
            try Self.erase(members, transaction)
        case .drop(let resource):
            Self.drop(resource, transaction)
        case .outgrow(let reported):
            transaction.run("UPDATE @progress SET serial = greatest(serial, $1)", .int(reported))
        case .stamp(let id, let number):
            Self.stamp(id, outgrowing: number, transaction)
        }
    }

    private static func rename(_ old: String, to new: String, _ transaction: PostgresTransaction) {
        let (from, to) = (PostgresValue.text(old), PostgresValue.text(new))
        transaction.run("UPDATE @occurrence SET campaign = $2 WHERE campaign = $1", from, to)
        transaction.run(
            """
            INSERT INTO @watermark AS mark (campaign, at, schedule, next)
            SELECT $2, at, schedule, next FROM @watermark WHERE campaign = $1
            ON CONFLICT (campaign) DO UPDATE
            SET at = excluded.at, schedule = excluded.schedule, next = excluded.next
            WHERE excluded.at >= mark.at OR mark.next IS NULL
            """, from, to)
        transaction.run("DELETE FROM @watermark WHERE campaign = $1", from)
        transaction.run(
            "INSERT INTO @pause (campaign) SELECT $2 FROM @pause WHERE campaign = $1 ON CONFLICT DO NOTHING", from, to)
        transaction.run("DELETE FROM @pause WHERE campaign = $1", from)
        transaction.run(
            """
            INSERT INTO @former_name (campaign, name)
            SELECT $2, name FROM @former_name WHERE campaign = $1 UNION SELECT $2, $1 ON CONFLICT DO NOTHING
            """, from, to)
        transaction.run("DELETE FROM @former_name WHERE campaign = $1", from)
        transaction.run("UPDATE @test SET campaign = $2 WHERE campaign = $1", from, to)
    }

    private static func drop(_ resource: Resource, _ transaction: PostgresTransaction) {
        switch resource {
        case .topic(let name): drop("membership", of: "topic", named: name.rawValue, transaction)
        case .group(let name): drop("group_membership", of: "device_group", named: name.rawValue, transaction)
        case .campaign(let name):
            dropOccurrences(where: "campaign = $1", .text(name), transaction)
            for table in ["watermark", "pause", "former_name"] {
                transaction.run("DELETE FROM @\(table) WHERE campaign = $1", .text(name))
            }
        case .occurrence(let id): dropOccurrences(where: "name = $1", .text(id.rawValue), transaction)
        }
    }

    private static func drop(
        _ sets: String, of owner: String, named name: String, _ transaction: PostgresTransaction
    ) {
        transaction.run(
            "DELETE FROM @\(sets) WHERE \(owner) IN (SELECT id FROM @\(owner) WHERE name = $1)", .text(name))
        transaction.run("DELETE FROM @\(owner) WHERE name = $1", .text(name))
    }

    private static func dropOccurrences(
        where condition: String, _ value: PostgresValue, _ transaction: PostgresTransaction
    ) {
        for table in ["ledger", "rejection", "ledger_count", "rejection_count", "assignment"] {
            transaction.run(
                "DELETE FROM @\(table) WHERE occurrence IN (SELECT id FROM @occurrence WHERE \(condition))", value)
        }
        transaction.run("DELETE FROM @occurrence WHERE \(condition)", value)
    }
}
