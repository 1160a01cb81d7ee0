import FCM
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The emulated FCM without a socket: calls go in, answers come out, and the world changes in between.
final class Backend: Sendable {
    private let world: Mutex<World>
    let signIn: SignIn
    private let now: @Sendable () -> Date
    /// Keeps ledger lines, before the answer to the call that caused them is given.
    private let keep: (@Sendable ([UInt8]) throws -> Void)?

    init(
        strict: Bool = false, membershipDelay: Duration = .zero, signIn: SignIn = SignIn(),
        now: @escaping @Sendable () -> Date, keep: (@Sendable ([UInt8]) throws -> Void)? = nil
    ) {
        world = Mutex(
            World(
                strict: strict, membershipDelay: membershipDelay / .seconds(1),
                countingFrom: now().microsecondsSince1970))
        self.signIn = signIn
        self.now = now
        self.keep = keep
    }

    func answer(_ call: Call) -> Answer {
        if let page = Page(call) { return page.answer }
        let path = call.path ?? []
        if path.first == "emulator" {
            do { return try ControlService(path: path.dropFirst()).answer(call, from: self) } catch {
                return error.answer
            }
        }
        let answer = Service(for: call)?.answer(call, from: self) ?? .pageNotFound(call.target)
        world.withLock { $0.log(call, status: answer.status, at: now()) }
        return answer
    }

    /// Changes the world, or reads it, in one piece: no two calls interleave. The time is the world's.
    func change<Result, Failure>(_ body: (inout World, Date) throws(Failure) -> Result) throws(Failure) -> Result {
        try world.withLock { (world) throws(Failure) in
            let now = world.time(at: now())
            return try body(&world, now)
        }
    }

    /// Changes the world by a delivery, which is in the ledger that outlives the emulator before it is accepted.
    func deliver(_ body: (inout World, Date) throws(GoogleError) -> String) throws(GoogleError) -> String {
        try world.withLock { (world) throws(GoogleError) in
            let now = world.time(at: now())
            let id = try body(&world, now)
            let lines = world.takeFreshLedgerLines()
            if let keep, !lines.isEmpty {
                do { try keep(lines) } catch {
                    throw GoogleError(status: .internal, message: "The emulator's ledger cannot be written: \(error)")
                }
            }
            return id
        }
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
