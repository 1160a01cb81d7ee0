import FCMClient
import HeraldCore
import Synchronization

/// Tells a monitor when a run begins and how it ended. So somebody learns of it when nothing calls herald any more.
/// Whatever becomes of it, the run goes on and ends as without it.
struct Heartbeat {
    private let post: Post
    private let carry: Post.Carrier
    private let console: Console

    /// The limit for one try.
    private static let patience: Duration = .seconds(5)
    /// In bytes. Healthchecks keeps no more.
    private static let longestSummary = 10_000

    /// `nil` if the settings name no monitor, or one that cannot be told, which people see.
    init?(_ settings: Settings?, _ common: Common) {
        guard let address = settings?.heartbeat else { return nil }
        (console, carry) = (common.console, common.machine.carry)
        do throws(TellingProblem) { post = try Post(toSecret: address, common.environment) } catch {
            console.error("herald: the heartbeat is not sent: \(error.description)\n  help: \(error.help)\n")
            return nil
        }
    }

    /// Does a run, and tells when it begins and ends. A run that did nothing because of
    /// another one has no end.
    ///
    /// - Parameter run: gets what it hands its report to.
    func around(_ run: (_ ended: @escaping @Sendable (Report) -> Void) async throws -> Void) async throws {
        let last = Mutex<Report?>(nil)
        async let beginning: Void = tell("start", "", tries: 1)
        do { try await run { report in last.withLock { $0 = report } } } catch {
            await beginning
            let failure = CommandFailure(blaming: error)
            await tell("\(CommandFailure.code(of: error))", Self.summary(last.withLock { $0 }, failure.text), tries: 2)
            throw error
        }
        await beginning
        guard let report = last.withLock({ $0 }) else { return }
        await tell("0", Self.summary(report, ""), tries: 2)
    }

    private static func summary(_ report: Report?, _ failure: String) -> String {
        let text = (report.map { ReportDocument($0).text(.plain) } ?? "") + failure
        return String(decoding: text.maskingSecrets.utf8.prefix(longestSummary), as: UTF8.self)
    }

    private func tell(_ event: String, _ summary: String, tries: Int) async {
        for attempt in 1...tries {
            do throws(Post.Problem) {
                return try await post.send(
                    summary, type: "text/plain; charset=utf-8", to: "/\(event)", within: Self.patience, by: carry)
            } catch {
                guard attempt == tries else { continue }
                let problem = TellingProblem.post(error)
                console.error("herald: the heartbeat was not sent: \(problem.description)\n  help: \(problem.help)\n")
            }
        }
    }
}
