internal import Foundation
internal import HeraldCore

/// What every process of a crew writes about itself.
struct CrewDuties {
    let board: CrewBoard
    let server: PostgresServer
    let connection: PostgresConnection

    init(_ board: CrewBoard, _ server: PostgresServer, _ connection: PostgresConnection) {
        (self.board, self.server, self.connection) = (board, server, connection)
    }

    /// Whether others wait for something that this process has to tell.
    var isNew: Bool {
        board.withState { state in
            guard let own = state.reading?.worker(board.id) else { return false }
            return !state.pauses.isEmpty || own.holding.wants != state.wants || givenUp(state) != nil
                || !dismissals(state).isEmpty
        }
    }

    /// Jobs that the others do not know they are to leave.
    private func dismissals(_ state: CrewBoard.State) -> [JobID] {
        state.parts.keys.filter { job in
            state.parts[job]?.isDismissed == true && state.reading?.job(job)?.isEnding == false
        }
    }

    /// The holding after what this process does not use any more.
    private func givenUp(_ state: CrewBoard.State) -> (ShareHolding, revision: Int64)? {
        guard let own = state.reading?.worker(board.id), own.holding.target < own.holding.share,
            state.inUse <= own.holding.target
        else { return nil }
        var holding = own.holding
        holding.giveUp(to: own.holding.target)
        return (holding, own.revision)
    }

    /// Renews the lease of a process that helps, and tells what is new. If the others took the process for dead, it is
    /// lost.
    func renew() throws {
        let begin = board.times.now()
        let transaction = PostgresTransaction.writing(on: connection, until: .now + board.times.renewal)
        let renewal = PostgresStatement(
            "UPDATE @worker SET ends = clock_timestamp() + $2 * interval '1 second' WHERE id = $1 RETURNING id",
            .uuid(board.id), .double(board.times.length.seconds))
        // At once, so that no process stands still with its row locked.
        let kept = try tell { news in try transaction.commit([renewal] + news)[0] }
        board.withState { state in
            if kept.count > 0 {
                state.deadline = begin + board.times.length - board.times.margin
            } else {
                state.isLost = true
            }
        }
    }

    /// Commits what others wait for. Pauses are told until a commit of them succeeds, everything else until a reading
    /// shows it.
    func tell<Value>(_ commit: ([PostgresStatement]) throws -> Value) rethrows -> Value {
        let (news, pauses) = news()
        let value = try commit(news)
        board.withState { $0.pauses.removeFirst(pauses) }
        return value
    }

    /// What others wait for, and how many of the pauses are among it.
    private func news() -> ([PostgresStatement], pauses: Int) {
        let now = board.times.now()
        return board.withState { state in
            var statements = [
                PostgresStatement(
                    "UPDATE @worker SET wants = $2 WHERE id = $1 AND wants <> $2", .uuid(board.id), .bool(state.wants))
            ]
            if let (holding, revision) = givenUp(state) {
                statements.append(holding.statement(board.id, revision, grows: false))
            }
            statements += dismissals(state).map {
                PostgresStatement("UPDATE @job SET is_ending = true WHERE id = $1", .int($0.rawValue))
            }
            statements += state.pauses.map { $0.statement(at: now) }
            return (statements, state.pauses.count)
        }
    }

    /// Ends this process's part for good. What it may still have in flight is unknown then.
    func goAway(isConductor: Bool) throws {
        let text =
            isConductor
            ? "UPDATE @worker SET ends = clock_timestamp() WHERE id = $1"
            // Its recipients go back only once nobody can write for it any more.
            : "UPDATE @worker SET ends = clock_timestamp(), wants = false WHERE id = $1"
        let transaction = PostgresTransaction.writing(on: connection, until: .now + board.times.renewal)
        transaction.run(text, .uuid(board.id))
        try transaction.commit()
    }
}

extension CrewBoard.Pause {
    fileprivate func statement(at now: ContinuousClock.Instant) -> PostgresStatement {
        let rest = PostgresValue.double(max(0, now.duration(to: end).seconds))
        let until = "quiet_until = greatest(quiet_until, clock_timestamp() + $1 * interval '1 second')"
        guard let job else {
            return PostgresStatement("UPDATE @worker SET \(until) WHERE conducts AND ends IS NULL", rest)
        }
        return PostgresStatement("UPDATE @job SET \(until) WHERE id = $2", rest, .int(job.rawValue))
    }
}

extension ShareHolding {
    /// Writes it, unless somebody has written it since it was read.
    ///
    /// - Parameter grows: whether it may be used only after the quarantine.
    func statement(_ id: UUID, _ revision: Int64, grows: Bool) -> PostgresStatement {
        let usable =
            grows ? "clock_timestamp() + \(ShareBook.quarantine.seconds) * interval '1 second'" : "usable"
        return PostgresStatement(
            """
            UPDATE @worker SET revision = revision + 1, share = $3, share_before = $4, target = $5, usable = \(usable)
            WHERE id = $1 AND revision = $2
            """, .uuid(id), .int(revision), .int(share.parts), .int(before.parts), .int(target.parts))
    }
}
