import FCM
import Foundation
import HeraldCore
import Synchronization

/// Writes what happens in a run to a file or to standard output, one line each (`run --events`). Whoever reads them and
/// stands still holds no run up.
final class EventLog: Sendable {
    private let events: Mutex<RunEvents>
    private let now: @Sendable () -> Date
    private let write: @Sendable (String) -> Void
    private let console: Console
    private let queue = DispatchQueue(label: "herald.events")
    private let waiting = Atomic(0)
    private let lines = DispatchGroup()

    /// While more lines wait, nobody is told how a step goes on.
    private static let mostWaiting = 1000
    /// How long the last lines may take, in seconds.
    private static let patience = 5.0

    /// - Parameter path: of a file that gets more lines at its end, or `-` for standard output.
    init(to path: String, run: String, _ common: Common) throws {
        events = Mutex(RunEvents(run: run))
        (now, console) = (common.machine.now, common.console)
        if path == "-" {
            let console = common.console
            write = { console.result($0 + "\n") }
        } else {
            try FileKind.lines.requireReplaceable(path)
            let file = LineFile(path: path, of: "events", common.console)
            do { try file.open() } catch {
                throw CommandFailure.unwritable("the events cannot be written to \(path)")
            }
            write = { file.append($0) }
        }
    }

    func plan(_ report: Report, held: [Plan.Held]) { tell { $0.plan(report, held: held, at: $1) } }

    func begin(_ step: StepID) { tell { $0.begin(step, at: $1) } }

    func note(_ report: Report) {
        let tellsProgress = waiting.load(ordering: .relaxed) < Self.mostWaiting
        tell { $0.note(report, at: $1, tellsProgress: tellsProgress) }
    }

    /// Does a run, and tells how it ended, whatever became of it.
    func around(_ run: () async throws -> Void) async throws {
        do { try await run() } catch {
            end(with: CommandFailure.code(of: error))
            throw error
        }
        end(with: 0)
    }

    private func end(with code: Int32) {
        tell { $0.finish(code: code, at: $1) }
        guard lines.wait(timeout: .now() + Self.patience) == .timedOut else { return }
        console.error("herald: the last events were not written: nobody reads them\n")
    }

    private func tell(_ body: (inout RunEvents, Date) -> [JSONValue]) {
        let now = now()
        // The lines stay in their order, whoever tells them.
        events.withLock { events in
            for event in body(&events, now) { append(event) }
        }
    }

    private func append(_ event: JSONValue) {
        waiting.add(1, ordering: .relaxed)
        queue.async(group: lines) { [self] in
            write(event.compactText.maskingRegistrations)
            waiting.subtract(1, ordering: .relaxed)
        }
    }
}
