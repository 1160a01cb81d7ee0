internal import FCM
internal import Foundation
internal import HeraldCore

/// What a change does in both kinds of stores alike. The stores write sets of recipients, numbers of recipients and the
/// figures of the state as a whole in ways of their own.
extension StateChange {
    /// A store runs them before it writes what is its own.
    var statements: [StateStatement] {
        switch self {
        case .spendPlan(let id):
            [.init("INSERT INTO @spent_plan (id) VALUES ($1) ON CONFLICT DO NOTHING", .text(id))]
        case .members(let name, _, _, let instant):
            [
                .init(
                    """
                    INSERT INTO @topic (name, changed) VALUES ($1, $2)
                    ON CONFLICT (name) DO UPDATE SET changed = excluded.changed
                    """, .text(name.rawValue), .date(instant))
            ]
        case .reclassify(let name, _, _):
            [.init("INSERT INTO @topic (name) VALUES ($1) ON CONFLICT DO NOTHING", .text(name.rawValue))]
        case .awaitFile(let name, true):
            [
                .init(
                    """
                    INSERT INTO @topic (name, awaits_file) VALUES ($1, TRUE)
                    ON CONFLICT (name) DO UPDATE SET awaits_file = TRUE
                    """, .text(name.rawValue))
            ]
        case .awaitFile(let name, false):
            [.init("UPDATE @topic SET awaits_file = FALSE WHERE name = $1", .text(name.rawValue))]
        case .observed:
            [.init("INSERT INTO @reading (name) VALUES ($1) ON CONFLICT DO NOTHING", .text(ObservationTime.reading))]
        case .groupKey(let name, let key):
            [
                .init(
                    """
                    INSERT INTO @device_group (name, notification_key) VALUES ($1, $2)
                    ON CONFLICT (name) DO UPDATE SET notification_key = excluded.notification_key
                    """, .text(name.rawValue), .text(key?.rawValue))
            ]
        case .groupMembers(let name, _, _):
            [.init("INSERT INTO @device_group (name) VALUES ($1) ON CONFLICT DO NOTHING", .text(name.rawValue))]
        case .open, .amend, .stages, .reject, .skip, .finish, .prune, .reopen, .halt, .suspend, .unseen, .done:
            occurrenceStatements
        case .started, .forgetStarts: startStatements
        case .audienceSizes(let sizes):
            ["DELETE FROM @audience_size"]
                + sizes.map {
                    .init("INSERT INTO @audience_size (name, size) VALUES ($1, $2)", .text($0.key), .int($0.value))
                }
        case .watermark(let campaign, let mark):
            [
                .init(
                    """
                    INSERT INTO @watermark (campaign, at, schedule, next, first) VALUES ($1, $2, $3, $4, $5)
                    ON CONFLICT (campaign) DO UPDATE
                    SET at = excluded.at, schedule = excluded.schedule, next = excluded.next, first = excluded.first
                    """, .text(campaign), .date(mark.at), .text(mark.schedule), .date(mark.next), .date(mark.first))
            ]
        case .rename(let old, let new): Self.renaming(old, to: new)
        case .pause(let campaign):
            [.init("INSERT INTO @pause (campaign) VALUES ($1) ON CONFLICT DO NOTHING", .text(campaign ?? ""))]
        case .resume(let campaign?): [.init("DELETE FROM @pause WHERE campaign = $1", .text(campaign))]
        case .resume(nil): ["DELETE FROM @pause"]
        case .test(let test):
            [
                .init(
                    "INSERT INTO @test (campaign, at, accepted, rejected, unknown) VALUES ($1, $2, $3, $4, $5)",
                    .text(test.campaign), .date(test.at), .int(test.accepted), .int(test.rejected), .int(test.unknown))
            ]
        case .applied(let commit):
            [
                .init("DELETE FROM @applied_commit WHERE id = $1", .text(commit.id)),
                .init(
                    "INSERT INTO @applied_commit (id, committed) VALUES ($1, $2)", .text(commit.id),
                    .date(commit.committed)),
            ]
        case .approve(let approvals): ["DELETE FROM @approval"] + approvals.map(Self.approving)
        case .note(let note, let text):
            [
                .init(
                    """
                    INSERT INTO @note (name, value) VALUES ($1, $2)
                    ON CONFLICT (name) DO UPDATE SET value = excluded.value
                    """, .text(note.rawValue), .text(text))
            ]
        case .died(let tombstone):
            [
                .init(
                    """
                    INSERT INTO @tombstone (recipient, registration, died, migrated) VALUES ($1, $2, $3, FALSE)
                    ON CONFLICT (recipient, registration) DO UPDATE SET died = excluded.died, migrated = FALSE
                    """, .int(Int64(tombstone.recipient)), .text(tombstone.registration.rawValue),
                    .date(tombstone.died))
            ]
        case .numberDeaths(let run): [.init(Self.numberingDeaths, .text(run))]
        case .toldDeaths(let run, let numbers):
            [
                .init(
                    "UPDATE @tombstone SET told = TRUE WHERE noted_run = $1 AND noted_number BETWEEN $2 AND $3",
                    .text(run), .int(numbers.lowerBound), .int(numbers.upperBound))
            ]
        case .reviveMigrated: ["DELETE FROM @tombstone WHERE migrated"]
        case .drop(let resource): Self.dropping(resource)
        case .stamp(let id, let number): Self.stamping(id, outgrowing: number)
        case .unstarted, .counting, .register, .supersede, .readopt, .assign, .waves, .outcome, .restore, .forget,
            .revive,
            .erase,
            .topicAPI, .sendQuota,
            .outgrow:
            []
        }
    }

    /// After the numbers that the run gave before.
    private static let numberingDeaths = """
        UPDATE @tombstone AS dead SET noted_run = $1, noted_number = numbered.number
        FROM (
            SELECT recipient, registration,
                coalesce((SELECT max(noted_number) FROM @tombstone WHERE noted_run = $1), 0)
                    + row_number() OVER (ORDER BY recipient, registration) AS number
            FROM @tombstone WHERE noted_run IS NULL
        ) AS numbered
        WHERE dead.recipient = numbered.recipient AND dead.registration = numbered.registration
        """

    private static func approving(_ resource: String, _ approval: RecordedApproval) -> StateStatement {
        .init(
            "INSERT INTO @approval (resource, digest, size, approved_by, at) VALUES ($1, $2, $3, $4, $5)",
            .text(resource), .text(approval.digest), .int(approval.size.map { Int64($0) }), .text(approval.by),
            .date(approval.at))
    }

    private static func renaming(_ old: String, to new: String) -> [StateStatement] {
        [
            "UPDATE @occurrence SET campaign = $2 WHERE campaign = $1",
            """
            INSERT INTO @watermark AS mark (campaign, at, schedule, next, first)
            SELECT $2, at, schedule, next, first FROM @watermark WHERE campaign = $1
            ON CONFLICT (campaign) DO UPDATE
            SET at = excluded.at, schedule = excluded.schedule, next = excluded.next, first = excluded.first
            WHERE mark.next IS NULL OR excluded.next IS NOT NULL AND excluded.at >= mark.at
            """,
            "INSERT INTO @pause (campaign) SELECT $2 FROM @pause WHERE campaign = $1 ON CONFLICT DO NOTHING",
            """
            INSERT INTO @former_name (campaign, name)
            SELECT $2, name FROM @former_name WHERE campaign = $1 ON CONFLICT DO NOTHING
            """,
            "INSERT INTO @former_name (campaign, name) VALUES ($2, $1) ON CONFLICT DO NOTHING",
            "UPDATE @test SET campaign = $2 WHERE campaign = $1",
        ].map { StateStatement($0, .text(old), .text(new)) }
            + ["watermark", "pause", "former_name"].map {
                StateStatement("DELETE FROM @\($0) WHERE campaign = $1", .text(old))
            }
    }

    /// Does to the table what `Stamps.add` does to the value.
    private static func stamping(_ id: String, outgrowing number: Int64?) -> [StateStatement] {
        [
            .init(
                """
                INSERT INTO @stamp (number, id)
                SELECT max(number) + 1, $1 FROM (SELECT number FROM @stamp UNION ALL SELECT $2) AS known
                """, .text(id), .int(number ?? 0)),
            .init(
                "DELETE FROM @stamp WHERE number <= (SELECT max(number) FROM @stamp) - $1",
                .int(number == nil ? Stamps.kept : 1)),
        ]
    }

    private static func dropping(_ resource: Resource) -> [StateStatement] {
        switch resource {
        case .topic(let name): dropping("membership", of: "topic", named: name.rawValue)
        case .group(let name): dropping("group_membership", of: "device_group", named: name.rawValue)
        case .campaign(let name):
            droppingOccurrences(where: "campaign = $1", name)
                + ["watermark", "pause", "former_name"].map {
                    StateStatement("DELETE FROM @\($0) WHERE campaign = $1", .text(name))
                }
        case .occurrence(let id): droppingOccurrences(where: "name = $1", id.rawValue)
        }
    }

    private static func dropping(_ sets: String, of owner: String, named name: String) -> [StateStatement] {
        [
            .init("DELETE FROM @\(sets) WHERE \(owner) IN (SELECT id FROM @\(owner) WHERE name = $1)", .text(name)),
            .init("DELETE FROM @\(owner) WHERE name = $1", .text(name)),
        ]
    }

    private static func droppingOccurrences(where condition: String, _ value: String) -> [StateStatement] {
        [settingStartsAside(where: condition, value)]
            + ["ledger", "rejection", "ledger_count", "rejection_count", "assignment", "wave"].map {
                .init(
                    "DELETE FROM @\($0) WHERE occurrence IN (SELECT id FROM @occurrence WHERE \(condition))",
                    .text(value))
            } + [.init("DELETE FROM @occurrence WHERE \(condition)", .text(value))]
    }
}

extension StateStatement: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text) }
}
