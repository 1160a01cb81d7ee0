import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore

extension PreviewCommand {
    func previews(in context: CommandContext) async throws -> [Preview] {
        let names = try names(in: context.files)
        let (sends, registrations) = try sends(in: context.files)
        let surroundings = Preview.Surroundings(
            settings: context.settings, registrations: registrations,
            endpoint: context.destination.endpoint.description, signsIn: context.destination.kind == .fcm,
            fingerprints: await fingerprints(in: context), platforms: platform.map { [$0] } ?? Platform.allCases)
        let now = Date()
        return try sends.filter { names.contains($0.campaign.name.value) }.map { send in
            do {
                return try Preview(of: send, in: surroundings, at: now)
            } catch {
                throw CommandFailure(
                    .wrong, "the message of '\(send.campaign.name.value)' cannot be written as JSON",
                    help: "look for numbers in its data that are not finite")
            }
        }
    }

    /// Every campaign's send, and the registrations of the recipients whose requests are shown.
    private func sends(in files: LoadedWorkspace) throws -> ([DesiredSend], [RecipientID: Registration]) {
        let recipients = ListedRecipients(files.recipientIndex)
        let sends = try Resolver.desired(of: files.workspace, recipients).sends
        let sampled = RecipientSet(sends.flatMap(\.sampled).filter { $0 > 0 })
        return (sends, try recipients.registrations(of: sampled))
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
