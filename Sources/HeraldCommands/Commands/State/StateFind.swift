import ArgumentParser
import FCM
import Foundation
import HeraldCore
import HeraldStore

struct StateFind: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Show what the state has of one registration, and what it waits for.",
        discussion: """
            If the files can be read, it also shows which messages the person is still to get, why not now, and when that \
            may change. The lists are read for that, as for a plan. Nothing is changed.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "A token or a fid.")
    var registration: RegistrationArgument

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let store = try await context.state.open(for: .inspecting)
        guard let known = try await store.recipient(for: registration.value.recipientKey) else {
            throw CommandFailure(
                .wrong, "the state does not know this registration", help: "check that it is the whole token or fid")
        }
        let names = Fingerprinter(key: store.fingerprintKey, reveals: context.common.revealsRegistrations)
        let isCurrent = known.registration == registration.value
        let asked = TraceDocument.Asked(
            names.name(registration.value), died: try await store.tombstone(of: registration.value, known.id)?.died,
            current: isCurrent ? nil : names.name(known.registration))
        let (trace, now) = (try await store.trace(of: known.id), context.machine.now())
        let document = TraceDocument(
            trace, of: asked, caps: context.settings.frequencyCaps.map { CapStanding($0, trace.starts, at: now) },
            plan: await plan(for: known.id, context.common, at: now))
        context.console.result(document.rendered(as: format, context.console.output))
    }

    /// What the next plan has for the person. Without it, the rest is shown all the same.
    private func plan(for person: RecipientID, _ common: Common, at now: Date) async -> PlanOverview? {
        do {
            let context = try CommandContext.open(common, at: now, cache: .use)
            let state = try await KnownState.read(
                from: context.state, for: .reading, at: now, filesIn: context.files.folder.path)
            let source = PlanSource.state(state, at: context.state)
            return try await context.files.proposal(from: source, at: now, PlanScope(person: person)).proposal.overview
        } catch {
            common.console.error(
                "herald: what this person waits for is not known, because nothing can be planned; 'herald plan' says why\n"
            )
            return nil
        }
    }
}
