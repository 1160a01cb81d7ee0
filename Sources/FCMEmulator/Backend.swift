import FCM
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The emulated FCM without a socket: calls go in, answers come out, and the world changes in between.
struct Backend: Sendable {
    let signIn: SignIn
    private let shared: Shared
    /// The status that the ledger gives to deliveries of the call that is being answered; `nil` where nobody is told.
    private var toldStatus: Int? = 200

    /// What all calls have in common.
    private final class Shared: Sendable {
        let world: Mutex<World>
        let faults: Mutex<FaultScript>
        let now: @Sendable () -> Date
        /// Keeps ledger lines, before the answer to the call that caused them is given.
        let keep: (@Sendable ([UInt8]) throws -> Void)?

        init(
            _ world: consuming World, faults: FaultScript, now: @escaping @Sendable () -> Date,
            keep: (@Sendable ([UInt8]) throws -> Void)?
        ) {
            self.world = Mutex(world)
            self.faults = Mutex(faults)
            self.now = now
            self.keep = keep
        }
    }

    init(
        strict: Bool = false, signIn: SignIn = SignIn(), faults: FaultScript = FaultScript(),
        now: @escaping @Sendable () -> Date, keep: (@Sendable ([UInt8]) throws -> Void)? = nil
    ) {
        self.signIn = signIn
        let world = World(strict: strict, countingFrom: now().microsecondsSince1970)
        shared = Shared(world, faults: faults, now: now, keep: keep)
    }

    /// Answers at once, whatever delay a fault has; the rest of it is in the answer.
    func answer(_ call: Call) -> Answer { answer(call, with: fault(for: call)) }

    /// - Parameter fault: what ``fault(for:)`` said of the call.
    func answer(_ call: Call, with fault: Fault?) -> Answer {
        let path = call.path ?? []
        if path.first == "emulator" {
            do { return try ControlService(path: path.dropFirst()).answer(call, from: self) } catch {
                return error.answer
            }
        }
        let answer = Service(for: call).map { outcome(of: call, to: $0, with: fault ?? Fault()) }
        let told = answer ?? .pageNotFound(call.target)
        let status = told.ending == .unanswered ? nil : told.status
        shared.world.withLock { $0.log(call, status: status, at: shared.now()) }
        return told
    }

    private func outcome(of call: Call, to service: Service, with fault: Fault) -> Answer {
        var backend = self
        backend.toldStatus = fault.toldStatus
        let honest = fault.isCarriedOut ? service.answer(call, from: backend) ?? .pageNotFound(call.target) : nil
        var answer = fault.reply?.answer(for: service) ?? honest ?? Answer(body: [])
        answer.ending = fault.ending
        return answer
    }

    /// Changes the world, or reads it, in one piece: no two calls interleave.
    func change<Result, Failure>(_ body: (inout World, Date) throws(Failure) -> Result) throws(Failure) -> Result {
        try shared.world.withLock { (world) throws(Failure) in try body(&world, shared.now()) }
    }

    /// Changes the world by a delivery, which is in the ledger that outlives the emulator before it is accepted.
    func deliver(_ body: (inout World, Date) throws(GoogleError) -> String) throws(GoogleError) -> String {
        try shared.world.withLock { (world) throws(GoogleError) in
            world.toldStatus = toldStatus
            let id = try body(&world, shared.now())
            let lines = world.takeFreshLedgerLines()
            if let keep = shared.keep, !lines.isEmpty {
                do { try keep(lines) } catch {
                    throw GoogleError(status: .internal, message: "The emulator's ledger cannot be written: \(error)")
                }
            }
            return id
        }
    }
}

extension Backend {
    /// The faults in force, with their counts.
    var faults: FaultScript {
        get { shared.faults.withLock(\.self) }
        nonmutating set { shared.faults.withLock { $0 = newValue } }
    }

    /// Whether connections may be told to go elsewhere.
    var mayGoAway: Bool { shared.faults.withLock(\.mayGoAway) }

    /// Counts the call, and says what is to go wrong with it.
    func fault(for call: Call) -> Fault? {
        let (isIdle, asksForDetails) = shared.faults.withLock { ($0.entries.isEmpty, $0.asksForDetails) }
        guard !isIdle, let service = Service(for: call) else { return nil }
        let subject = FaultSubject(of: call, to: service, withDetails: asksForDetails)
        return shared.faults.withLock { $0.fault(for: subject) }
    }
}

extension Call {
    /// The body, where it was not too large.
    func content() throws(GoogleError) -> [UInt8] {
        guard let body else {
            throw GoogleError(
                status: .invalidArgument, httpStatus: 413, message: "Request payload size exceeds the limit.")
        }
        return body
    }
}
