import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore

extension PreviewCommand {
    /// Shows the page until a signal comes.
    func show(at port: Int, _ common: Common) async throws {
        let pages = try PreviewPages(common, lists) { try await previews(in: $0) }
        let server = PreviewServer(port: port, pages: pages)
        let serving = Task { try await server.run { common.console.result("\($0)\n") } }
        let signals = Signals.listen { serving.cancel() }
        do { try await serving.value } catch { if signals.first == 0 { throw error } }
    }

    func previews(in context: CommandContext) async throws -> [Preview] {
        let names = try names(in: context.files)
        let (sends, recipients) = try sends(names, in: context.files)
        let sampled = RecipientSet(sends.flatMap { $0.sampled }.filter { $0 > 0 })
        var surroundings = Preview.Surroundings(
            settings: context.settings, registrations: try recipients.registrations(of: sampled),
            endpoint: context.destination.endpoint.description, signsIn: context.destination.kind == .fcm,
            fingerprints: await fingerprints(in: context), platforms: platform.map { [$0] } ?? Platform.allCases)
        surroundings.listsSkipped = context.workspace.listsSkipped
        let now = context.machine.now()
        return try sends.flatMap { send in
            do {
                return try send.previews(in: surroundings, at: now)
            } catch {
                throw CommandFailure(
                    .wrong, "the message of '\(send.wanted.campaign.name.value)' cannot be written as JSON",
                    help: "look for numbers in its data that are not finite")
            }
        }
    }

    /// A campaign's send, and the texts to show of a personal one.
    private struct ShownSend {
        let wanted: DesiredSend
        let texts: [ChosenText]

        /// The recipients whose requests are shown.
        var sampled: [RecipientID] { wanted.sampled + texts.flatMap { $0.members.map(\.self) } }

        func previews(in surroundings: Preview.Surroundings, at now: Date) throws -> [Preview] {
            guard wanted.campaign.personal != nil else {
                return [try Preview(of: wanted, in: surroundings, at: now)]
            }
            return try texts.map { try Preview(of: wanted, showing: $0, in: surroundings, at: now) }
        }
    }

    private func sends(
        _ names: [String], in files: LoadedWorkspace
    ) throws -> (sends: [ShownSend], recipients: ListedRecipients) {
        let recipients = ListedRecipients(files.recipientIndex)
        let wanted = try Resolver.desired(of: files.workspace, recipients).sends
            .filter { names.contains($0.campaign.name.value) }
        let choice = text.choice(revealsRows: revealValues)
        if !choice.isEmpty, !wanted.contains(where: { $0.campaign.personal != nil }) {
            throw TextOptions.nothingPersonal(
                names.count == 1 ? names[0] : nil, "--sample, --locale, --variant and --reveal-values")
        }
        let sends = try wanted.map { wanted in
            try TextOptions.explaining(wanted.campaign) {
                ShownSend(
                    wanted: wanted, texts: try choice.texts(of: wanted, files.workspace.samples(for: wanted.campaign)))
            }
        }
        return (sends, recipients)
    }

    private func names(in files: LoadedWorkspace) throws -> [String] {
        let known = files.workspace.campaigns.map(\.name.value)
        if all { return known }
        if let campaign { return [try files.campaign(named: campaign).name.value] }
        guard known.count == 1 else {
            throw CommandFailure(
                .wrong,
                known.isEmpty ? "no file declares a campaign" : "no campaign is named",
                help: known.isEmpty
                    ? "'herald new campaign' makes one"
                    : "name one of \(known.joined(separator: ", ")), or add --all")
        }
        return known
    }

    /// With a state, registrations are named as in reports. A preview works without a state, so none is created.
    private func fingerprints(in context: CommandContext) async -> Fingerprinter? {
        if context.common.revealsRegistrations { return Fingerprinter(key: [], reveals: true) }
        let store = try? await context.state.open(for: .reading)
        return store.map { Fingerprinter(key: $0.fingerprintKey) }
    }
}
