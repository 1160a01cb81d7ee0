internal import FCM

/// Snapshots are read where strangers may have written them.
extension SnapshotDocument {
    /// The most bytes that a snapshot has.
    package static let limit = 64 << 20

    package init(reading bytes: [UInt8]) throws {
        guard bytes.count <= Self.limit else { throw SnapshotProblem.damaged("it has more than 64 MiB") }
        let document: JSONValue
        do throws(JSONValue.StrictProblem) { document = try JSONValue(strictly: bytes, depth: 8) } catch {
            throw SnapshotProblem(error)
        }
        guard let schema = document["schema"]?.string, schema.hasPrefix(Self.family) else {
            throw SnapshotProblem.notSnapshot
        }
        guard schema == Self.schema else { throw SnapshotProblem.newer }
        self.init(try StateSnapshot(SnapshotPart(document)))
    }
}

extension SnapshotProblem {
    fileprivate init(_ problem: JSONValue.StrictProblem) {
        switch problem {
        case .syntax(let offset): self = .damaged("byte \(offset + 1) does not fit into JSON")
        case .tooDeep: self = .damaged("its values are nested too deeply")
        case .duplicateName(let name): self = .damaged("'\(name)' stands twice in one object")
        }
    }
}

extension StateSnapshot {
    /// The largest sum of all members and outcomes. Many more would not fit into memory.
    private static let mostMembers = 1 << 32

    fileprivate init(_ part: SnapshotPart) throws {
        let endpoint = try part["endpoint"].word(EndpointKind.init(rawValue:))
        let identity = RecordedState.Identity(
            lineage: try part["lineage"].id(), project: try part["project"].text(), endpoint: endpoint,
            created: try part["created"].date(),
            // Older snapshots do not say.
            workspace: try part.optional("workspace")?.unlessNull { try $0.text() })
        self.init(identity: identity, serial: try part["serial"].number(), time: try part["time"].date())
        sizes = try Sizes(part)
        audienceSizes = try part["audiences"].list("audience", { try $0.name() }, { try $0["size"].count() })
        // Older snapshots do not say.
        goneAudiences =
            try part.optional("gone_audiences")?
            .list("audience", { try $0.name() }, { try $0["size"].count() }) ?? [:]
        waited =
            try part.optional("waited")?.list("occurrence", { try $0.occurrence() }, { try $0["at"].date() }) ?? [:]
        approvals = try part.optional("approvals")?.list("resource", { try $0.resource() }, Approved.init)
        watermarks = try part["watermarks"].list("campaign", { try $0.name() }, Watermark.init)
        occurrences = try part["occurrences"].list("occurrence", { try $0.occurrence() }, Occurrence.init)
        formerNames = try part["former_names"].list("campaign", { try $0.name() }, { try $0["names"].names() })
        pauses.everything = try part["paused"]["everything"].bool()
        pauses.campaigns = try part["paused"]["campaigns"].names()
        tested = try part["tested"].names()
        topicAPI = try part["topic_api"].unlessNull {
            .init(try $0["api"].word(TopicAPI.init(rawValue:)), at: try $0["at"].date())
        }
        try readStanding(part)
        sendQuota = try part.optional("send_quota")?.unlessNull {
            let quota = RecordedState.SendQuota(perMinute: try $0["per_minute"].count(), at: try $0["at"].date())
            guard RecordedState.SendQuota.possible.contains(quota.perMinute) else {
                throw SnapshotProblem.damaged("no project has such a quota")
            }
            return quota
        }
        let outcomes = occurrences.values.map(\.recorded).filter { $0.finished == nil }
        guard sizes.sum + outcomes.reduce(0, { $0 + $1.counts.sum }) <= Self.mostMembers else {
            throw SnapshotProblem.damaged("it counts more members than a state can have")
        }
    }
}

extension StateSnapshot {
    /// What `status` and the site show. Older snapshots do not say.
    fileprivate mutating func readStanding(_ part: SnapshotPart) throws {
        lastRun = try part.optional("last_run")?.unlessNull { try $0.run() }
        runs = try part.optional("runs")?.items().map { try $0.run() } ?? []
        lists =
            try part.optional("lists")?.list("audience", { try $0.name() }) {
                KnownList(fetched: try $0["fetched"].date(), since: try $0["since"].date())
            } ?? [:]
        checkup = try part.optional("doctor")?.unlessNull { part in
            guard let checkup = part.value.flatMap(RecordedCheckup.init(json:)) else {
                throw part.problem("is nothing that doctor found")
            }
            return checkup
        }
        workers = try part.optional("workers")?.unlessNull { try $0.items().map { try $0.text() } }
    }
}

extension SnapshotPart {
    fileprivate func run() throws -> RecordedRun {
        guard let run = value.flatMap(RecordedRun.init(json:)) else { throw problem("is no run") }
        return run
    }
}

extension StateSnapshot.Sizes {
    fileprivate init(_ part: SnapshotPart) throws {
        self.init()
        topics = try part["topics"].list("topic", { try $0.word(TopicName.init(rawValue:)) }, StateSnapshot.Topic.init)
        groups = try part["groups"].list("group", { try $0.digest() }, StateSnapshot.Group.init)
        known = try part["registrations"].count()
        dead = try part["dead"].count()
        tombstones = try part["tombstones"].count()
        guard dead <= tombstones, dead <= known else {
            throw SnapshotProblem.damaged("more are dead than there can be")
        }
    }

    /// The members of all topics and groups.
    fileprivate var sum: Int {
        topics.values.reduce(0) { $0 + $1.sum } + groups.values.reduce(0) { $0 + $1.members + $1.adding }
    }
}

extension StateSnapshot.Topic {
    fileprivate init(_ part: SnapshotPart) throws {
        self.init()
        managed = try part["owned"].count()
        subscribing = try part["subscribing"].count()
        preexisting = try part["found"].count()
        former = try part["earlier"].count()
        adopted = try part.optional("adopted")?.count() ?? 0
        left = try part.optional("left")?.count() ?? 0
        awaitsFile = try part.optional("awaits_file")?.bool() ?? false
        try part.check(sum)
    }

    fileprivate var sum: Int { managed + subscribing + preexisting + adopted + left + former }
}

extension StateSnapshot.Group {
    fileprivate init(_ part: SnapshotPart) throws {
        self.init()
        members = try part["members"].count()
        adding = try part["adding"].count()
        hasKey = try part["has_key"].bool()
        former = try part.optional("earlier")?.count() ?? 0
        try part.check(members + adding)
        guard former <= members + adding else {
            throw SnapshotProblem.damaged("a group has more earlier registrations than members")
        }
    }
}

extension StateSnapshot.Approved {
    fileprivate init(_ part: SnapshotPart) throws {
        self.init(digest: try part["digest"].text(), size: try part.optional("size")?.count())
    }
}

extension Watermark {
    fileprivate init(_ part: SnapshotPart) throws {
        self.init(
            at: try part["at"].date(), schedule: try part["schedule"].lines(),
            next: try part["next"].unlessNull { try $0.date() }, first: try part.optional("first")?.date())
    }
}

extension StateSnapshot.Occurrence {
    fileprivate init(_ part: SnapshotPart) throws {
        var recorded = RecordedOccurrence(
            campaign: try part["campaign"].name(), revision: Int(try part["revision"].number()),
            due: try part["due"].unlessNull { try $0.date() },
            contentDigest: try part["content_digest"].text(), target: "")
        recorded.finished = try part["finished"].unlessNull { try $0.date() }
        var entries: [LedgerEntry: Int] = [:]
        for entry in LedgerEntry.allCases { entries[entry] = try part["counts"].optional(entry.key)?.count() ?? 0 }
        recorded.halt = try part.optional("halted")?.word { RecordedOccurrence.Halt(rawValue: $0) }
        recorded.isReopened = try part.optional("reopened")?.bool() ?? false
        recorded.begun = try part.optional("begun")?.date()
        recorded.suspended = try part.optional("suspended")?.date()
        recorded.isDone = try part.optional("done")?.bool() ?? false
        recorded.unseen = try part.optional("unseen")?.date()
        recorded.local = try part.optional("local")?.word { LocalTime(written: $0) }
        recorded.stages = try part.optional("stages")?.word { RecordedStage.stages(in: $0) } ?? []
        let counts = LedgerCounts(entries: entries, isUntried: try part.optional("untried")?.bool() ?? false)
        try part.check(counts.sum)
        recorded.outcomes = .counts(counts)
        let whole = try part.optional("whole")?.word { word in LedgerEntry.allCases.first { $0.key == word } }
        if let whole, counts[whole] == 0 || recorded.finished != nil {
            throw part.problem("has a 'whole' that its counts do not have")
        }
        self.init(recorded, whole: whole)
    }
}

extension LedgerCounts {
    fileprivate var sum: Int { LedgerEntry.allCases.reduce(0) { $0 + self[$1] } }
}
