import FCMClient
import Foundation
import HeraldCore
import HeraldStore

/// Tells webhooks what people should know of. It gives up after half a minute; the next run goes on.
struct Notifier {
    let webhooks: [Webhook]
    private let project: String
    private let workspace: String
    private let machine: Machine
    private let reports: SavedReports
    /// What occurrences say, by the digest of their content: as the files say it now. What was changed since is not shown.
    private let texts: [String: [String]]

    /// What came of it.
    struct Outcome {
        /// `Notice.key` of what has arrived, or need not arrive any more.
        var arrived: Set<String> = []
        /// One sentence for each webhook that did not take something.
        var problems: [String] = []
    }

    /// The limit for one try, and the pauses before the second and the third one: together they are less than 30 s.
    private static let patience: Duration = .seconds(8)
    private static let pauses: [Duration] = [.seconds(1), .seconds(4)]
    /// No notice is begun later.
    private static let limit: Duration = .seconds(20)

    init(_ context: CommandContext) {
        (webhooks, machine) = (context.settings.webhooks, context.machine)
        (project, workspace) = (context.settings.project, context.files.folder.name(context.settings))
        reports = SavedReports(in: context.state.reports)
        let lines = webhooks.contains(where: \.showsText) ? try? context.files.workspace.linesByContent() : nil
        texts = lines ?? [:]
    }

    /// Tells each webhook what concerns it and has not arrived there. One that does not answer keeps no other one waiting.
    ///
    /// - Parameters:
    ///   - troubles: what is in trouble now (`Told.current`).
    ///   - isStopped: whether nothing is tried again any more.
    ///   - note: called for each webhook once it was told, with `Outcome.arrived`.
    func tell(
        _ notices: [Notice], amid troubles: [String: Notice] = [:], except delivered: Set<String> = [],
        unless isStopped: @escaping @Sendable () -> Bool = { false }, note: (Set<String>) async -> Void = { _ in }
    ) async -> Outcome {
        await withTaskGroup(of: Outcome.self) { group in
            for (place, webhook) in webhooks.enumerated() {
                let news = notices.filter { $0.concerns(webhook) && !delivered.contains($0.key(for: webhook)) }
                guard !news.isEmpty else { continue }
                let (name, known) = ("webhook \(place + 1)", KnownTroubles(of: webhook, in: troubles, before: news))
                group.addTask { await tell(news, to: webhook, name, known, unless: isStopped, by: machine.clock) }
            }
            var all = Outcome()
            for await outcome in group {
                all.arrived.formUnion(outcome.arrived)
                all.problems += outcome.problems
                if !outcome.arrived.isEmpty { await note(outcome.arrived) }
            }
            all.problems.sort()
            return all
        }
    }

    private func tell<Time: Clock<Duration>>(
        _ notices: [Notice], to webhook: Webhook, _ name: String, _ known: KnownTroubles,
        unless isStopped: @Sendable () -> Bool, by clock: Time
    ) async -> Outcome {
        var outcome = Outcome()
        let outdated = known.outdated(among: notices)
        outcome.arrived.formUnion(outdated.map { $0.key(for: webhook) })
        let begin = clock.now
        do throws(TellingProblem) {
            let post = try Post(toSecret: webhook.address, machine.environment)
            let secret = try webhook.secret.map { secret throws(TellingProblem) in try expand(secret) }
            // What the next run tells, in this order.
            var left: [Notice] = []
            for notice in notices where !outdated.contains(where: { $0.id == notice.id }) {
                // Nothing is well again for whoever did not take that it was not, or knows that it is not.
                if let trouble = notice.ended,
                    left.contains(where: { $0.id == trouble.id }) || known.contradict(notice)
                {
                    left.append(notice)
                    continue
                }
                guard begin.duration(to: clock.now) < Self.limit else {
                    outcome.problems.append("\(name) is too slow; the next run tells the rest")
                    break
                }
                var mayHaveArrived = false
                defer {
                    // Whoever has it is not told what is older, also if no answer says that they have it.
                    let older = mayHaveArrived ? KnownTroubles(from: notice).outdated(among: left) : []
                    outcome.arrived.formUnion(older.map { $0.key(for: webhook) })
                }
                do throws(TellingProblem) {
                    try await send(notice, to: webhook, post, secret, &mayHaveArrived, unless: isStopped)
                    outcome.arrived.insert(notice.key(for: webhook))
                } catch {
                    // One that the server does not like keeps no other one back.
                    guard error.isOfContent else { throw error }
                    left.append(notice)
                    outcome.problems.append("\(name) refused a message: \(error.description)")
                }
            }
        } catch {
            outcome.problems.append("\(name) was not told: \(error.description); \(error.help)")
        }
        return outcome
    }

    private func expand(_ text: String) throws(TellingProblem) -> String {
        do throws(FetchProblem) { return try SourceVariables(machine.environment).expand(text) } catch {
            throw .variable(error)
        }
    }

    /// - Parameter mayHaveArrived: set as soon as one try may have reached the webhook, whatever comes of the others.
    private func send(
        _ notice: Notice, to webhook: Webhook, _ post: Post, _ secret: String?, _ mayHaveArrived: inout Bool,
        unless isStopped: @Sendable () -> Bool
    ) async throws(TellingProblem) {
        let lines = notice.content.flatMap { texts[$0] } ?? []
        let body = notice.body(
            for: webhook, project: project, workspace: workspace,
            hasReport: notice.isTest || reports.has(notice.run), texts: lines)
        for pause in Self.pauses.map(Optional.some) + [nil] {
            var headers = [(name: "x-herald-id", value: notice.id)]
            if let secret {
                headers.append(
                    (name: "x-herald-signature", value: Notice.signature(of: body, secret, at: machine.now())))
            }
            do throws(Post.Problem) {
                try await post.send(
                    body, type: "application/json", headers: headers, within: Self.patience, by: machine.carry)
                mayHaveArrived = true
                return
            } catch {
                mayHaveArrived = mayHaveArrived || error.mayHaveArrived
                guard error.mayPass, let pause, !isStopped() else { throw .post(error) }
                try? await machine.clock.sleep(for: pause)
            }
        }
    }
}

extension Post.Problem {
    /// Whether another try may do better.
    fileprivate var mayPass: Bool {
        switch self {
        case .notAnAddress: false
        case .unanswered: true
        case .status(let status): status >= 500 || status == 408 || status == 429
        }
    }

    /// Whether somebody may have got it all the same.
    fileprivate var mayHaveArrived: Bool {
        switch self {
        case .notAnAddress: false
        case .unanswered: true
        case .status(let status): status >= 500
        }
    }
}
