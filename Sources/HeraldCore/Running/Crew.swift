/// The processes that send for one run: the run itself, which conducts, and those that joined it (`herald work`). Each
/// has a crew of its own, which reads at short intervals what the others do.
package protocol Crew: Sendable {
    /// What was read last. It asks nobody.
    func view() -> CrewView

    /// From now on this process starts no more than that share allows, until it looks at the view again.
    ///
    /// - Parameter wants: whether it has something to send. `nil` if that is as before.
    func adopt(_ share: Share, wants: Bool?)

    /// Tells the others that FCM asks for a pause: in that job, or in all.
    func pause(_ job: JobID?, for length: Duration)

    /// Lets the others send to these recipients too. Everybody, the caller included, claims them.
    ///
    /// - Parameter rows: the rows of some recipients, for personal messages. Who has none is not shared and stays
    ///   untried, as in a run alone.
    func share(_ send: SharedSend, to members: RecipientSet, rows: RowReader?) async throws -> JobID

    /// Takes some of a job's recipients, who then belong to this process alone. Empty if there are none left now. A
    /// process that helps gets their rows, too.
    func claim(in job: JobID) async throws -> Claim

    /// What this process has counted in a job. It is written together with the next commit.
    func note(_ tally: Tally, in job: JobID)

    /// Asks the others to start nothing more of a job, or of all. A process that helps asks nobody. The caller still leaves
    /// the job.
    func dismiss(_ job: JobID?)

    /// Ends this process's part in a job. A conductor ends the job: it waits until all others have left it or are gone,
    /// unless the task is cancelled.
    func leave(_ job: JobID) async throws -> Settlement

    /// Ends this process's part for good. Nothing may start any more.
    func disband() async
}

/// Reads the rows of some recipients. Who has none is left out.
package typealias RowReader = @Sendable (RecipientSet) throws -> [RecipientID: FieldValues]

/// One of the processes that send for a run, for people.
package struct CrewMember: Hashable, Sendable {
    package var isConductor: Bool
    package var host: String
    package var pid: Int64
    package var since: Date
    /// What it works on, if that is shared.
    package var occurrence: String?
    /// How many requests it may start in a second.
    package var rate: Rate?
    package var claimed: Int
    package var settled: Int

    package init(
        isConductor: Bool, host: String, pid: Int64, since: Date, occurrence: String? = nil, rate: Rate? = nil,
        claimed: Int = 0, settled: Int = 0
    ) {
        (self.isConductor, self.host, self.pid, self.since) = (isConductor, host, pid, since)
        (self.occurrence, self.rate, self.claimed, self.settled) = (occurrence, rate, claimed, settled)
    }
}

/// Names a send that several processes share.
package struct JobID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static func < (one: JobID, other: JobID) -> Bool { one.rawValue < other.rawValue }
}

/// What a run shares cannot be read. Most likely its herald is of another version.
package struct UnreadableJob: Error {
    package let job: JobID

    package init(job: JobID) { self.job = job }
}

/// Recipients that a process has claimed.
package struct Claim: Hashable, Sendable {
    package var members: RecipientSet
    /// Those among them that FCM refused for now when another process tried them.
    package var deferred: RecipientSet
    /// The members' rows, for personal messages. A row that is not in the state, or that cannot be read, is missing.
    package var rows: [RecipientID: FieldValues]

    package init(
        members: RecipientSet = [], deferred: RecipientSet = [], rows: [RecipientID: FieldValues] = [:]
    ) {
        (self.members, self.deferred, self.rows) = (members, deferred, rows)
    }
}

/// What the others did in a job that is over.
package struct Settlement: Hashable, Sendable {
    package var others = Tally()
    package var failures: [Report.Failure] = []
    package var failuresOmitted = 0
    /// Whom nobody had claimed, or who were given back, for a conductor that goes on with them.
    package var left = Claim()

    package init() {}
}

/// What a process knows of the others at one moment.
package struct CrewView: Hashable, Sendable {
    /// Which reading it comes from.
    package var reading = 0
    package var isConductor: Bool
    /// What this process may use of the rates.
    package var share = Share.whole
    /// How long requests may start because of it.
    package var validity: Duration
    /// How long nothing may start in any job.
    package var quiet = Duration.zero
    /// How long membership requests may not start either, because of the run before.
    package var beginning = Duration.zero
    /// How many other processes could help.
    package var others = 0
    package var jobs: [JobID: JobView] = [:]

    package init(isConductor: Bool, validity: Duration) {
        self.isConductor = isConductor
        self.validity = validity
    }
}

package struct JobView: Hashable, Sendable {
    /// Whether there are recipients that nobody has claimed.
    package var hasFree = false
    /// How many recipients other processes still have to settle.
    package var open = 0
    package var others = Tally()
    /// How long nothing may start in it.
    package var quiet = Duration.zero
    /// Whether the conductor wants everybody to leave.
    package var isEnding = false

    package init() {}
}
