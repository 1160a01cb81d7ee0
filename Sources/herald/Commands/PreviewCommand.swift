import ArgumentParser
import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore

struct PreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show what a campaign puts on phones, and the request that does it.",
        discussion: """
            Offline. The request is the one a run would make at the campaign's next time, of many recipients the \
            first one's.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The campaign; needed where there are several.")
    var campaign: String?

    @Flag(help: "Every campaign.")
    var all = false

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    @Option(help: "Only this kind of device: ios, android or web.")
    var platform: Platform?

    func validate() throws {
        if campaign != nil, all { throw ValidationError("--all and a campaign's name exclude each other") }
    }

    func run() throws {
        let session = try Session.open(Common(herald.common, options))
        let names = try names(session)
        let (sends, registrations) = try sends(session)
        let surroundings = Preview.Surroundings(
            settings: session.workspace.settings, registrations: registrations,
            endpoint: session.endpoint.description, signsIn: !session.isEmulator, fingerprints: fingerprints(session),
            platforms: platform.map { [$0] } ?? Platform.allCases)
        let now = Date()
        let previews = try sends.filter { names.contains($0.campaign.name.value) }.map { send in
            do {
                return try Preview(of: send, in: surroundings, at: now)
            } catch {
                throw session.console.end(
                    .wrong, "the message of '\(send.campaign.name.value)' cannot be written as JSON")
            }
        }
        let style = session.console.output
        if let preview = previews.first, !all {
            session.console.result(PreviewDocument(preview).rendered(as: format, style))
        } else {
            session.console.result(PreviewsDocument(previews).rendered(as: format, style))
        }
    }

    /// Every campaign's send, and how the first recipient of each is reached.
    private func sends(_ session: Session) throws -> ([DesiredSend], [RecipientID: Registration]) {
        do throws(RecipientIndexError) {
            let recipients = ListedRecipients(session.recipientIndex)
            let sends = try Resolver.desired(of: session.workspace, recipients).sends
            let first = RecipientSet(sends.compactMap { $0.members.first { _ in true } }.filter { $0 > 0 })
            return (sends, try recipients.registrations(of: first))
        } catch {
            throw session.end(error)
        }
    }

    private func names(_ session: Session) throws -> [String] {
        let known = session.workspace.campaigns.map(\.name.value)
        if all { return known }
        if let campaign { return [try session.campaign(named: campaign).name.value] }
        guard known.count == 1 else {
            throw session.console.end(
                .wrong,
                known.isEmpty
                    ? "no file declares a campaign"
                    : "which campaign? There are: \(known.joined(separator: ", ")); --all shows them all")
        }
        return known
    }

    /// Registrations are named as in reports where there is a state; a preview needs none, and no whole one.
    private func fingerprints(_ session: Session) -> Fingerprinter? {
        if session.common.revealsRegistrations { return Fingerprinter(key: [], reveals: true) }
        let store = try? SQLiteStore.open(
            at: session.statePath, project: session.workspace.settings.project, endpoint: session.endpointKind)
        return store.map { Fingerprinter(key: $0.fingerprintKey) }
    }
}

extension Platform: ExpressibleByArgument {}
