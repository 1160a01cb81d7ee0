import FCM
import HeraldCore

extension TestCommand {
    /// Each installation once.
    func registrations(in files: LoadedWorkspace) throws -> [Registration] {
        if let audience { return try registrations(ofAudience: audience, in: files) }
        var seen: Set<RecipientKey> = []
        return try to.enumerated().compactMap { index, text in
            guard let registration = Registration(text) else {
                throw CommandFailure(
                    .usage, "--to, argument \(index + 1): not a token or fid")
            }
            return seen.insert(registration.recipientKey).inserted ? registration : nil
        }
    }

    private func registrations(ofAudience name: String, in files: LoadedWorkspace) throws -> [Registration] {
        let names = files.workspace.audiences.map(\.name.value)
        guard names.contains(name) else {
            let near = suggestion(for: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
            throw CommandFailure(.wrong, "no file declares audience '\(name)'\(near)")
        }
        let recipients = ListedRecipients(files.recipientIndex)
        let members = try Resolver.members(ofAudience: name, in: files.workspace, recipients)
        guard (1...Self.maximumRecipients).contains(members.count) else {
            throw CommandFailure(
                .wrong,
                "audience '\(name)' has \(members.count) recipients; a test goes to 1 to \(Self.maximumRecipients)")
        }
        return try recipients.registrations(of: members).sorted { $0.key < $1.key }.map(\.value)
    }
}
