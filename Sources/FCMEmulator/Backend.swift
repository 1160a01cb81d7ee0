import FCM
import Synchronization

/// The emulated FCM without a socket: it takes calls, changes the world and returns answers.
struct Backend: Sendable {
    var signIn: SignIn
    private let shared: Shared
    /// The status that the ledger records for deliveries of the current call. `nil` if the caller gets no answer.
    private var toldStatus: Int? = 200
    /// What a fault does to the current call's sign-in.
    private var clockOffset: Duration = .zero
    private var accepted: Duration?
    /// Writes the current call to the journal. `nil` if it must not be written.
    private var keeping: Keeping?
    /// The original time of a call that is replayed from the journal.
    private var replayed: Date?

    /// What all calls share.
    private final class Shared: Sendable {
        let world: Mutex<World>
        let faults: Mutex<FaultScript>
        let journal: Journal?
        let now: @Sendable () -> Date
        /// Writes ledger lines to the file, before the call that caused them is answered.
        let keep: (@Sendable ([UInt8]) throws -> Void)?

        init(
            _ world: consuming World, faults: FaultScript, journal: Journal?, now: @escaping @Sendable () -> Date,
            keep: (@Sendable ([UInt8]) throws -> Void)?
        ) {
            self.world = Mutex(world)
            self.faults = Mutex(faults)
            self.journal = journal
            self.now = now
            self.keep = keep
        }
    }

    init(
        settings: World.Settings = World.Settings(), signIn: SignIn = SignIn(),
        now: @escaping @Sendable () -> Date, keep: (@Sendable ([UInt8]) throws -> Void)? = nil
    ) {
        self.signIn = signIn
        let world = World(settings, countingFrom: now().microsecondsSince1970)
        shared = Shared(world, faults: FaultScript(), journal: nil, now: now, keep: keep)
    }

    /// - Parameters:
    ///   - data: the path of the journal that the world is restored from and written to.
    ///   - ledger: the path of the ledger file.
    init(
        settings: World.Settings, signIn: SignIn, faults: FaultScript, data: String?, ledger: String?,
        now: @escaping @Sendable () -> Date
    ) throws(EmulatorError) {
        self.signIn = signIn
        let replaying = Backend(settings: settings, signIn: signIn, now: now)
        var journal: Journal?
        if let data { journal = try Journal(path: data) { replaying.replay($0) } }
        // After the journal, whose new file would not be known as one before.
        let keep = try Self.opening(ledger)
        var world = replaying.shared.world.withLock(\.self)
        world.settings = settings
        shared = Shared(world, faults: faults, journal: journal, now: now, keep: keep)
        do { try journal?.append(.start(settings, world.counters)) } catch {
            throw .cannotUseData(path: data ?? "", reason: error.description)
        }
    }

    private static func opening(_ ledger: String?) throws(EmulatorError) -> (@Sendable ([UInt8]) throws -> Void)? {
        guard let ledger else { return nil }
        let file = try LedgerFile(path: ledger)
        return { try file.append($0) }
    }

    /// Answers at once and ignores a fault's delay. The answer carries the rest of the fault.
    func answer(_ call: Call) -> Answer { answer(call, with: fault(for: call)) }

    /// - Parameter fault: the result of ``fault(for:)`` for this call.
    func answer(_ call: Call, with fault: Fault?) -> Answer {
        if let page = Page(call) { return page.answer }
        var backend = self
        if shared.journal != nil { backend.keeping = Keeping(call) }
        let answer = backend.outcome(of: call, with: fault ?? Fault())
        let kept = backend.keeping?.failure ?? answer
        return call.isControl ? kept : log(call, kept)
    }

    private func outcome(of call: Call, with fault: Fault) -> Answer {
        var backend = self
        backend.toldStatus = fault.toldStatus
        (backend.clockOffset, backend.accepted) = (fault.clockOffset, fault.accepted)
        let honest = fault.isCarriedOut ? backend.perform(call) ?? .pageNotFound(call.target) : nil
        let scripted = fault.reply.flatMap { reply in Service(for: call).map { reply.answer(for: $0, to: call) } }
        var answer = scripted ?? honest ?? Answer(body: [])
        answer.ending = fault.ending
        if fault.clockOffset != .zero {
            answer.headers.append((name: "Date", value: (now + fault.clockOffset / .seconds(1)).httpDate))
        }
        return answer
    }

    /// `nil` if the path does not exist, or does not have the method.
    private func perform(_ call: Call) -> Answer? {
        guard call.isControl else { return Service(for: call)?.answer(call, from: self) }
        do { return try ControlService(path: (call.path ?? []).dropFirst()).answer(call, from: self) } catch {
            return isReplaying ? error.answer : refuse(call, with: error)
        }
    }

    /// Records a call that the emulator itself does not take. The journal does not keep it: websites must not be able to
    /// fill the disk.
    func refuse(_ call: Call, with error: GoogleError) -> Answer {
        let answer = error.answer
        shared.world.withLock { $0.log(call, status: answer.status, refusal: error.message, at: shared.now()) }
        return answer
    }

    /// Records an answered call in the request log.
    private func log(_ call: Call, _ answer: Answer) -> Answer {
        let status = answer.ending == .unanswered ? nil : answer.status
        return shared.world.withLock { world in
            let now = shared.now()
            world.log(call, status: status, at: now)
            do throws(FileError) { try shared.journal?.append(.request(call, status: status, at: now)) } catch {
                return .cannotKeep(error)
            }
            return answer
        }
    }
}

extension Backend {
    /// Reads the world between two calls. The time is the world's.
    func read<Result, Failure>(_ body: (World, Date) throws(Failure) -> Result) throws(Failure) -> Result {
        try shared.world.withLock { (world) throws(Failure) in
            let now = world.time(at: now)
            return try body(world, now)
        }
    }

    /// Changes the world in one step, so that calls never interleave. A call does this at most once, after its checks.
    /// The time is the world's.
    func change<Result, Failure>(_ body: (inout World, Date) throws(Failure) -> Result) throws(Failure) -> Result {
        try shared.world.withLock { (world) throws(Failure) in
            let clock = now
            keep(world, at: clock, JournalRecord.change)
            let now = world.time(at: clock)
            return try body(&world, now)
        }
    }

    /// Delivers a message. The ledger file has it before the answer says that it was accepted.
    func deliver(_ body: (inout World, Date) throws(GoogleError) -> String) throws(GoogleError) -> String {
        try change { (world, now) throws(GoogleError) in
            world.toldStatus = toldStatus
            let id = try body(&world, now)
            let lines = world.takeFreshLedgerLines()
            if let keep = shared.keep, !lines.isEmpty {
                do { try keep(lines) } catch {
                    throw GoogleError(status: .internal, message: "The emulator's ledger cannot be written: \(error)")
                }
            }
            return id
        }
    }

    /// Issues an access token if `check` passes. The journal keeps the token's end, but not the credential.
    ///
    /// - Parameter check: gets the time of the clock. Callers sign by their own clocks, which a test's world is ahead of.
    func issueToken<Failure>(
        lasting seconds: TimeInterval, _ check: (World, Date) throws(Failure) -> Void
    ) throws(Failure) -> String {
        try shared.world.withLock { (world) throws(Failure) in
            let clock = now
            try check(world, clock + clockOffset / .seconds(1))
            let seconds = accepted.map { $0 / .seconds(1) } ?? seconds
            keep(world, at: clock) { (_, occasion) in .token(lasting: seconds, occasion) }
            return world.issueToken(until: world.time(at: clock) + seconds)
        }
    }

    /// Whether Google has ended device groups and the Instance ID service.
    var hasEndedServices: Bool { shared.world.withLock(\.settings.hasEndedServices) }

    /// The time of the clock, or the original time during a replay.
    var now: Date { replayed ?? shared.now() }

    /// Writes the call to the journal before it changes the world.
    private func keep(
        _ world: World, at now: Date, _ record: (Call, JournalRecord.Occasion) -> JournalRecord
    ) {
        guard let journal = shared.journal else { return }
        keeping?.once { call throws(FileError) in
            let occasion = JournalRecord.Occasion(now: now, counters: world.counters, toldStatus: toldStatus)
            try journal.append(record(call, occasion))
        }
    }
}

extension Backend {
    /// The faults in force, with their counts.
    var faults: FaultScript {
        get { shared.faults.withLock(\.self) }
        nonmutating set {
            shared.faults.withLock { $0 = newValue }
            // Faults are not in the journal, but the event log tells that they changed.
            shared.world.withLock { $0.eventLog.note(.faults) }
        }
    }

    /// Whether a connection may get a GOAWAY.
    var mayGoAway: Bool { shared.faults.withLock(\.mayGoAway) }

    /// Counts the call and returns the fault that applies to it.
    func fault(for call: Call) -> Fault? {
        let (isIdle, asksForDetails) = shared.faults.withLock { ($0.entries.isEmpty, $0.asksForDetails) }
        guard !isIdle, let service = Service(for: call),
            let subject = FaultSubject(of: call, to: service, withDetails: asksForDetails)
        else { return nil }
        return shared.faults.withLock { $0.fault(for: subject) }
    }
}

extension Backend {
    /// Whether the call is replayed from the journal. Its sender was checked when it came first.
    var isReplaying: Bool { replayed != nil }

    /// Applies a journal record again.
    ///
    /// - Returns: one record that can replace this one and all before it. `nil` if there is none.
    fileprivate func replay(_ record: JournalRecord) -> JournalRecord? {
        switch record {
        case .start(let settings, let counters):
            shared.world.withLock { world in
                world.settings = settings
                world.counters = counters
            }
        case .request(let call, let status, let now):
            shared.world.withLock { $0.log(call, status: status, at: now) }
        case .token(let seconds, let occasion):
            shared.world.withLock { world in
                world.counters = occasion.counters
                _ = world.issueToken(until: world.time(at: occasion.now) + seconds)
            }
        case .change(let call, let occasion):
            shared.world.withLock { $0.counters = occasion.counters }
            var backend = self
            backend.replayed = occasion.now
            backend.toldStatus = occasion.toldStatus
            _ = backend.perform(call)
            if call.isReset { return shared.world.withLock { JournalRecord.start($0.settings, $0.counters) } }
        }
        return nil
    }
}

extension Call {
    /// The body. Throws if it was too large.
    func content() throws(GoogleError) -> [UInt8] {
        guard let body else {
            throw GoogleError(
                status: .invalidArgument, httpStatus: 413, message: "Request payload size exceeds the limit.")
        }
        return body
    }

    /// Whether the call goes to the emulator's own interface.
    var isControl: Bool { path?.first == "emulator" }

    fileprivate var isReset: Bool { path == ["emulator", "v1", "reset"] }
}
