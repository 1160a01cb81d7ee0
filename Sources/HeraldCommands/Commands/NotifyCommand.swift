import ArgumentParser
import HeraldCore

struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Try whether the webhooks of 'notify' in herald.yaml get what herald tells.",
        discussion: """
            'run' and 'apply' tell webhooks what changed. This sends each of them one message that says it is a test, \
            whatever 'when' says. Exits with 4 if one does not take it.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Flag(help: "Send a test to every webhook.")
    var test = false

    func validate() throws {
        try ValidationError.require(test, "there is nothing to do", help: "add --test")
    }

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let webhooks = context.settings.webhooks
        guard !webhooks.isEmpty else {
            throw CommandFailure(
                .wrong, "herald.yaml has no 'notify'", help: "add notify: [{webhook: \"${WEBHOOK_URL}\"}]")
        }
        let now = context.machine.now()
        let notice = Notice.test(of: RunRequest(.workspace(PlanScope()), now: context.machine.now).id, at: now)
        let outcome = await Notifier(context).tell([notice])
        for (place, webhook) in webhooks.enumerated() where outcome.arrived.contains(notice.key(for: webhook)) {
            context.console.result("webhook \(place + 1) (\(webhook.form.rawValue)) took it\n")
        }
        for problem in outcome.problems { context.console.error("herald: \(problem)\n") }
        if !outcome.problems.isEmpty { throw CommandFailure(.failed) }
    }
}
