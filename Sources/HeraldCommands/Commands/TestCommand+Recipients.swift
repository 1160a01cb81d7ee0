import FCM
import HeraldCore

extension TestCommand {
    /// Each installation once.
    func registrations(for campaign: Campaign, in files: LoadedWorkspace) throws -> [Registration] {
        if let audience { return try registrations(ofAudience: audience, for: campaign, in: files) }
        var seen: Set<RecipientKey> = []
        return try to.enumerated().compactMap { index, text in
            guard let registration = Registration(text) else {
                throw CommandFailure(
                    .usage, "--to, argument \(index + 1): not a token or fid",
                    help: "copy the whole token or fid, as the app gives it")
            }
            return seen.insert(registration.recipientKey).inserted ? registration : nil
        }
    }

    private func registrations(
        ofAudience name: String, for campaign: Campaign, in files: LoadedWorkspace
    ) throws -> [Registration] {
        try files.requireListed(name)
        let recipients = ListedRecipients(files.recipientIndex)
        var members = try Resolver.members(ofAudience: name, in: files.workspace, recipients)
        // Who does not want this kind of message does not get it as a test either.
        for list in campaign.suppressed where list.value != name {
            members.subtract(try Resolver.members(ofAudience: list.value, in: files.workspace, recipients))
        }
        guard (1...Self.maximumRecipients).contains(members.count) else {
            throw CommandFailure(
                .wrong, "audience '\(name)' has \(count(members.count, "recipient"))",
                help: "name an audience of 1 to \(Self.maximumRecipients) for a test")
        }
        return try recipients.registrations(of: members).sorted { $0.key < $1.key }.map(\.value)
    }
}
