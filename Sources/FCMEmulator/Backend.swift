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
    private let now: @Sendable () -> Date
    /// Keeps ledger lines, before the answer to the call that caused them is given.
    private let keep: (@Sendable ([UInt8]) throws -> Void)?

    init(
        strict: Bool = false, now: @escaping @Sendable () -> Date, keep: (@Sendable ([UInt8]) throws -> Void)? = nil
    ) {
        world = Mutex(World(strict: strict, countingFrom: now().microsecondsSince1970))
        self.now = now
        self.keep = keep
    }

    func answer(_ call: Call) -> Answer {
        let path = call.path ?? []
        if path.first == "emulator" {
            do { return try ControlService(path: path.dropFirst()).answer(call, from: self) } catch {
                return error.answer
            }
        }
        let answer: Answer
        do {
            answer = try service(at: path, for: call) ?? .pageNotFound(call.target)
        } catch {
            answer = error.answer
        }
        world.withLock { $0.log(call, status: answer.status, at: now()) }
        return answer
    }

    /// Changes the world, or reads it, in one piece: no two calls interleave.
    func change<Result>(
        _ body: (inout World, Date) throws(GoogleError) -> Result
    ) throws(GoogleError) -> Result {
        let keep = keep
        return try world.withLock { (world) throws(GoogleError) in
            let result = try body(&world, now())
            let lines = world.takeFreshLedgerLines()
            if let keep, !lines.isEmpty {
                do { try keep(lines) } catch {
                    throw GoogleError(status: .internal, message: "The emulator's ledger cannot be written: \(error)")
                }
            }
            return result
        }
    }

    /// The answer of the service that has this path. `nil` where there is none, or it has no such method.
    private func service(at path: [String], for call: Call) throws(GoogleError) -> Answer? {
        guard path.count >= 4, path[0] == "v1", path[1] == "projects", !path[2].isEmpty else { return nil }
        if path.count == 4, path[3] == "messages:send", call.method == "POST" {
            return try SendService(project: path[2]).answer(call, from: self)
        }
        if path[3] == "registrations", (6...7).contains(path.count), path[5] == "topicSubscriptions" {
            return try SubscriptionService(
                project: path[2], registration: path[4], topic: path.count == 7 ? path[6] : nil
            ).answer(call, from: self)
        }
        return nil
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
