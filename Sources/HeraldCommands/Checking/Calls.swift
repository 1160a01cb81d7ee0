import FCM
import FCMClient
import Foundation
import HeraldCore

/// The checks for which Google's sign-in and FCM are called. Nothing is sent or changed.
struct Calls {
    let context: CommandContext
    /// The proxy on the way. `nil` if there is none.
    let proxy: String?
    let now: @Sendable () -> Date

    private var settings: Settings { context.settings }

    /// Signs in, and asks FCM everything that can be asked.
    func results() async -> [CheckResult] {
        let found: FoundCredential?
        let connection: Connection
        do {
            found = try context.destination.credential()
            connection = try Connection(
                to: context.destination, settings, mayWrite: nil, logger: context.common.logger)
        } catch {
            let failure = CommandFailure(blaming: error)
            return [.error(.credential, failure.message ?? "", fix: failure.help?.asSentence ?? "")]
                + Self.skipped(.all, "nothing is asked without a credential")
        }
        let results = await results(over: connection, found)
        await connection.shutdown()
        return results
    }

    /// The checks without which a first run must not begin.
    func shortResults(over connection: Connection) async -> [CheckResult] {
        guard let probe = Probe(connection.sender, for: settings.fcmProject) else { return [] }
        let message = await probe.askAboutMessage()
        var date = message.date
        // A success may tell no time. A question about a registration that does not exist is answered with an error.
        if date == nil, case .accepted = message.verdict { date = await probe.askAboutSubscriptions().date }
        return sendCheck.results(message.verdict) + [clock([date])]
    }

    private func results(over connection: Connection, _ found: FoundCredential?) async -> [CheckResult] {
        let error = await connection.signIn()
        let account = await connection.account()
        let signIn = SignInCheck(credential: found, project: settings.project, account: account).results(error)
        guard error == nil, let probe = Probe(connection.sender, for: settings.fcmProject) else {
            return signIn + Self.skipped(.all.filter { $0 != .clock }, "nothing is asked without an access token")
                + [ClockCheck.result([], at: now(), token: error)]
        }
        let message = await probe.askAboutMessage()
        let send = sendCheck.results(message.verdict)
        if send.contains(where: { $0.check == .endpoint && $0.outcome == .error }) {
            return signIn + send + Self.skipped(.afterSend, "FCM was not reached")
        }
        let topics = await probe.askAboutSubscriptions()
        let usesGroups = !context.workspace.groups.isEmpty
        let groups = usesGroups && settings.senderID != nil ? await probe.askAboutGroup() : nil
        let read = ReadCheck(topicAPI: settings.fcm.topicAPI)
        return signIn + send + read.topics(topics.verdict)
            + [
                read.groups(groups?.verdict, areUsed: usesGroups), clock([message.date, topics.date, groups?.date]),
            ]
    }

    private var sendCheck: SendCheck {
        SendCheck(project: settings.project, endpoint: "\(context.destination.endpoint)", proxy: proxy)
    }

    private func clock(_ dates: [String?]) -> CheckResult {
        ClockCheck.result(dates.compactMap(\.self), at: now(), token: nil)
    }

    private static func skipped(_ checks: [CheckResult.Check], _ reason: String) -> [CheckResult] {
        checks.map { .skipped($0, reason) }
    }
}

extension [CheckResult.Check] {
    /// Those for which FCM is asked.
    fileprivate static let all = [.endpoint, .project, .messagePermission] + afterSend

    fileprivate static let afterSend: Self = [.topicPermission, .topicAPI, .groupPermission, .clock]
}
