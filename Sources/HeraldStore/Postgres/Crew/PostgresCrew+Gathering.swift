internal import Foundation
package import HeraldCore

extension RunLease {
    /// Becomes the conductor of all that help. What an earlier run left of its jobs is removed.
    ///
    /// - Parameter rate: of the run's sends.
    package func gather(rate: Rate) async throws -> (any Crew)? {
        let database = try await PostgresStore.open(server, under: self)
        let board = CrewBoard(times, conducting: self)
        let epoch = epoch
        _ = try await database.writing(under: WorkLease(holder: run, epoch: epoch)) { transaction in
            transaction.run("DELETE FROM @job WHERE epoch < $1", .int(epoch))
            let before = try transaction.fetch(
                """
                DELETE FROM @worker WHERE conducts
                RETURNING extract(epoch FROM ends - clock_timestamp())::float8
                """)
            // The run before may have started requests until its end. If it crashed, that is not known.
            let wait = before.all.map { (try? $0.optionalDouble(0).map(StoredValue.span)) ?? 0 }.max().map {
                $0 + ShareBook.quarantine.seconds
            }
            transaction.run("DELETE FROM @worker WHERE ends <= clock_timestamp()")
            transaction.run("UPDATE @worker SET revision = revision + 1, share = 0, share_before = 0, target = 0")
            transaction.run(
                """
                INSERT INTO @worker (id, conducts, host, pid, since, share, target, usable, wants)
                VALUES ($1, true, $2, $3, clock_timestamp(), $4, $4, clock_timestamp() + $5 * interval '1 second', true)
                """, .uuid(board.id), .text(ProcessInfo.processInfo.hostName), .int(Int(getpid())),
                .int(Share.whole.parts), .double(max(0, wait ?? 0)))
        }
        try await database.read(for: board)
        board.withState { state in
            (state.wants, state.inUse) = (true, .whole)
            guard let reading = state.reading, let own = reading.worker(board.id) else { return }
            state.beginning = reading.ended + own.holding.wait
        }
        let crew = PostgresCrew(database, board, conducting: (self, rate))
        try await crew.begin()
        return crew
    }
}

extension PostgresCrew {
    /// Joins those who help the runs of a state. It must belong to this project and endpoint.
    package static func join(
        _ server: PostgresServer, project: String, endpoint: EndpointKind, times: LeaseTimes = LeaseTimes()
    ) async throws -> PostgresCrew {
        let checked = try await PostgresStore.open(server)
        let bound = try await checked.binding()
        guard bound.project == project, bound.endpoint == endpoint else {
            throw StateError.bound(
                path: server.name, to: "project '\(bound.project)' at \(bound.endpoint.rawValue)",
                wanted: "project '\(project)' at \(endpoint.rawValue)")
        }
        do {
            try await checked.session.perform(for: server.patience) { connection, _ in
                try server.checkPlace(connection)
            }
        } catch {
            throw server.stateError(error)
        }
        let board = CrewBoard(times)
        let begin = times.now()
        _ = try await checked.writing(under: nil) { transaction in
            transaction.run(
                """
                INSERT INTO @worker (id, conducts, host, pid, since, ends, usable) VALUES
                ($1, false, $2, $3, clock_timestamp(), clock_timestamp() + $4 * interval '1 second', clock_timestamp())
                """, .uuid(board.id), .text(ProcessInfo.processInfo.hostName), .int(Int(getpid())),
                .double(times.length.seconds))
        }
        board.withState { $0.deadline = begin + times.length - times.margin }
        let database = PostgresStore(server, checked.session, checked.fingerprintKey, nil, helping: board)
        try await database.read(for: board)
        let crew = PostgresCrew(database, board, conducting: nil)
        try await crew.begin()
        return crew
    }

    /// Between two looks whether a person has resumed a job's campaign.
    private static let pauseLook = Duration.seconds(1)

    /// A job that needs help, which this process has joined. `nil` if there is none now. One whose campaign is paused
    /// needs none.
    ///
    /// - Parameter left: jobs that it does not work on again.
    /// - Throws: `UnreadableJob` for one that a herald of another version shared.
    package func nextJob(except left: Set<JobID>) async throws -> (JobID, SharedSend)? {
        guard let reading = board.withState(\.reading) else { return nil }
        let now = times.now()
        let paused = board.withState { state in state.paused.flatMap { now < $0.look ? $0.job : nil } }
        let found = reading.jobs.last { $0.hasFree && !$0.isEnding && !left.contains($0.id) && $0.id != paused }
        adopt(board.view().share, wants: found != nil)
        // Read first: a conductor waits for whoever has joined.
        guard let found, let (body, age) = try await read(found.id) else { return nil }
        try await checkServer()
        guard var send = SharedSend(reading: body), let age = try? StoredValue.span(age) else {
            throw UnreadableJob(job: found.id)
        }
        if try await database.pauses().include(send.campaign) {
            // It uses nothing of the rates meanwhile.
            board.withState { state in
                state.paused = (job: found.id, look: now + Self.pauseLook)
                state.wants = false
            }
            return nil
        }
        send.ramped = .seconds(max(0, age))
        let joined: Int64?
        do { joined = try await join(found.id, epoch: reading.epoch) } catch StateError.leaseLost(let holder) {
            throw StateError.leaseLost(holder: holder)
        } catch {
            // Its part may be there, and the conductor would wait for it. Once this process is gone, it is taken back.
            board.lose(after: server.stateError(error))
            throw error
        }
        guard let part = joined else { return nil }
        board.withState { $0.parts[found.id] = .init(id: part, epoch: reading.epoch) }
        return (found.id, send)
    }

    /// A process that helps may live for weeks. Meanwhile its clock may go wrong, or somebody may change the server's
    /// settings. Between two jobs it has nothing under way, so it can end.
    private func checkServer() async throws {
        do {
            try await database.session.perform(for: server.patience) { [server] connection, _ in
                try server.checkDurability(connection)
            }
        } catch let error as StateError {
            board.stop(because: error)
            throw error
        }
    }

    /// What a job is about, and for how many seconds it has gone on. `nil` if it is over.
    private func read(_ job: JobID) async throws -> (body: [UInt8], age: Double)? {
        try await database.reading { transaction in
            let rows = try transaction.commit([
                PostgresStatement(
                    "SELECT body, extract(epoch FROM clock_timestamp() - begun)::float8 FROM @job WHERE id = $1",
                    .int(job.rawValue))
            ])[0]
            return try rows.first.map { (Array(try $0.bytes(0)), try $0.double(1)) }
        }
    }

    /// The number of its part. `nil` if the job is over.
    private func join(_ job: JobID, epoch: Int64) async throws -> Int64? {
        let (lease, me) = (WorkLease(holder: "", epoch: epoch), board.id)
        let made = try await database.writing(under: lease, as: me) { transaction in
            // Waits for a conductor that is just ending it.
            let rows = try transaction.fetch(
                """
                WITH open AS (SELECT id FROM @job WHERE id = $1 AND NOT is_ending FOR SHARE)
                INSERT INTO @job_part (job, worker) SELECT id, $2 FROM open RETURNING id
                """, .int(job.rawValue), .uuid(me))
            return try rows.first?.int(0)
        }
        if let made { return made }
        // The answer was lost. A part that nobody knows would never be left, and the conductor would wait for it.
        let question = PostgresStatement(
            "SELECT id FROM @job_part WHERE job = $1 AND worker = $2 AND NOT has_left ORDER BY id DESC LIMIT 1",
            .int(job.rawValue), .uuid(me))
        return try await database.reading { try $0.commit([question])[0].first?.int(0) }
    }

    /// Whether a run goes on.
    package var hasConductor: Bool { board.withState { $0.reading?.lease.map { $0 > 0 } ?? false } }
}

extension PostgresStore {
    /// The first reading of a crew.
    func read(for board: CrewBoard) async throws {
        do {
            let reading = try await session.perform(for: server.patience) { [server] connection, _ in
                try CrewReading(over: connection, server, board.times)
            }
            board.take(reading)
        } catch {
            throw server.stateError(error)
        }
    }
}
