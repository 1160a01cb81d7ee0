import FCM
import Foundation
import HeraldTestSupport
import Synchronization

@testable import HeraldCommands
@testable import HeraldCore

/// A workspace, a state, a clock and an FCM that accepts everything, except for what a test has it refuse.
final class Town: Sendable {
    let folder: TemporaryFolder
    private let clock: TownClock
    private let sender: ScriptedSender
    private let answers: Answers

    init(_ files: [String: String], at date: Date) throws {
        folder = try TemporaryFolder(files)
        let (clock, answers) = (TownClock(date), Answers())
        sender = ScriptedSender { request, number in
            clock.note(request)
            return answers.exchange(for: request) ?? .accepted(request, number)
        }
        (self.clock, self.answers) = (clock, answers)
    }

    func go(to date: Date) { clock.now.withLock { $0 = date } }
    func pass(_ seconds: Double) { clock.now.withLock { $0 += seconds } }

    /// From now on messages to these registrations get that answer. `nil` means that they are accepted.
    func answer(_ registrations: some Sequence<Registration>, with exchange: Exchange?) {
        answers.byText.withLock { answers in
            for registration in registrations { answers[registration.rawValue] = exchange }
        }
    }

    private final class Answers: Sendable {
        let byText = Mutex<[String: Exchange]>([:])

        func exchange(for request: Request) -> Exchange? {
            guard case .send(let body) = request, let json = try? JSONValue(parsing: body),
                let registration = json["message"]?["fid"]?.string
            else { return nil }
            return byText.withLock { $0[registration] }
        }
    }

    /// So much time passes with the first request.
    func passWhenSending(_ seconds: Double) { clock.pending.withLock { $0 = (seconds, false) } }

    /// So much time passes with the first request about a topic or a group.
    func passWhenJoining(_ seconds: Double) { clock.pending.withLock { $0 = (seconds, true) } }

    func herald(_ arguments: String...) async throws -> (failure: CommandFailure?, output: String, errors: String) {
        try await herald(arguments)
    }

    func herald(_ arguments: [String]) async throws -> (failure: CommandFailure?, output: String, errors: String) {
        let written = Written()
        var machine = Machine()
        machine.environment = ["HERALD_STATE": "\(folder.path)/state.sqlite", "FCM_EMULATOR_HOST": "127.0.0.1:9"]
        machine.now = { [clock] in clock.now.withLock(\.self) }
        machine.write = { text, descriptor in written.texts.withLock { $0[descriptor, default: ""] += text } }
        machine.signals = { _ in Signals() }
        machine.connect = { [sender] _, _, _, _ in Connection(over: sender) }
        let failure = await Machine.$current.withValue(machine) { [folder] () -> CommandFailure? in
            do {
                try await Herald.run(arguments + ["-w", folder.path])
                return nil
            } catch {
                return CommandFailure(error) ?? CommandFailure(.usage, "\(error)", help: "")
            }
        }
        let texts = written.texts.withLock(\.self)
        return (failure, texts[STDOUT_FILENO] ?? "", (texts[STDERR_FILENO] ?? "") + (failure?.text ?? ""))
    }

    private final class Written: Sendable { let texts = Mutex<[Int32: String]>([:]) }

    /// Every message, with its target.
    func messages() -> [JSONValue] {
        sender.requests.compactMap { request in
            if case .send(let body) = request { (try? JSONValue(parsing: body))?["message"] } else { nil }
        }
    }

    /// Whom messages went to; those with a title, if one is given.
    func sent(_ title: String? = nil) -> Set<Registration> {
        let wanted = messages().filter { title == nil || $0["notification"]?["title"]?.string == title }
        return Set(wanted.compactMap { $0["fid"]?.string.flatMap { Registration($0) } })
    }

    /// Who was unsubscribed.
    func left(topic: String) -> Set<Registration> {
        Set(
            sender.requests.compactMap { request in
                if case .unsubscribe(let registration, let name) = request, name.rawValue == topic {
                    registration
                } else {
                    nil
                }
            })
    }

    func members(of topic: String) -> Set<Registration> {
        sender.requests.reduce(into: []) { members, request in
            switch request {
            case .subscribe(let registration, let name) where name.rawValue == topic: members.insert(registration)
            case .unsubscribe(let registration, let name) where name.rawValue == topic: members.remove(registration)
            default: break
            }
        }
    }
}

final class TownClock: Sendable {
    let now: Mutex<Date>
    let pending = Mutex((seconds: 0.0, isForMembers: false))

    init(_ date: Date) { now = Mutex(date) }

    func note(_ request: Request) {
        let seconds = pending.withLock { pending in
            if pending.isForMembers, case .send = request { return 0.0 }
            defer { pending.seconds = 0 }
            return pending.seconds
        }
        now.withLock { $0 += seconds }
    }
}
