import FCM
import Foundation
import HeraldCore
import Synchronization

/// Writes what happens in a run to a file or to standard output, one line each (`run --events`).
final class EventLog: Sendable {
    private let events: Mutex<RunEvents>
    private let now: @Sendable () -> Date
    private let write: @Sendable (String) -> Void

    /// - Parameter path: of a file that gets more lines at its end, or `-` for standard output.
    init(to path: String, run: String, _ common: Common) throws {
        events = Mutex(RunEvents(run: run))
        now = common.machine.now
        if path == "-" {
            let console = common.console
            write = { console.result($0 + "\n") }
        } else {
            let file = LineFile(path: path)
            do { try file.open() } catch {
                throw CommandFailure.unwritable("the events cannot be written to \(path)")
            }
            write = { file.append($0) }
        }
    }

    func plan(_ report: Report, held: [Plan.Held]) { tell { $0.plan(report, held: held, at: $1) } }

    func begin(_ step: StepID) { tell { $0.begin(step, at: $1) } }

    func note(_ report: Report) { tell { $0.note(report, at: $1) } }

    /// Does a run, and tells how it ended, whatever became of it.
    func around(_ run: () async throws -> Void) async throws {
        do { try await run() } catch {
            tell { $0.finish(code: CommandFailure.code(of: error), at: $1) }
            throw error
        }
        tell { $0.finish(code: 0, at: $1) }
    }

    private func tell(_ body: (inout RunEvents, Date) -> [JSONValue]) {
        let now = now()
        // The lines stay in their order, whoever tells them.
        events.withLock { events in
            for event in body(&events, now) { write(event.compactText.maskingRegistrations) }
        }
    }
}
