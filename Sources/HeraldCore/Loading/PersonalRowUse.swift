internal import FCM

/// What the rows of lists, and registrations that stand in files, make of personal messages.
struct PersonalRowUse {
    private let workspace: Workspace
    private let folder: WorkspaceFolder
    private let groups: [GroupName: Group]
    private let sources: AudienceSources

    init(_ workspace: Workspace, _ folder: WorkspaceFolder) {
        (self.workspace, self.folder, groups) = (workspace.withChecksOnly, folder, workspace.groupsByName)
        sources = self.workspace.valueSources
    }

    /// Warnings for campaigns with rows that make no message, and for variants that few recipients get.
    func problems(_ recipients: ListedRecipients) throws(RecipientIndexError) -> [Diagnostic] {
        guard !workspace.campaigns.isEmpty else { return [] }
        return try Resolver.desired(of: workspace, recipients).sends.flatMap { send in
            guard let census = send.census else { return [] as [Diagnostic] }
            return badRows(census, of: send) + send.smallVariants().map(warning)
        }
    }

    private func badRows(_ census: RowCensus, of send: DesiredSend) -> [Diagnostic] {
        guard !census.bad.isEmpty else { return [] }
        let (campaign, bad) = (send.campaign, census.bad.count)
        let (make, kinds) = (bad == 1 ? "makes" : "make", census.counts(among: census.bad).words)
        guard let path = send.list, let list = listName(of: campaign) else {
            let mistakes = Set(census.firstBad.map(\.mistake.words)).sorted()
            return [
                .warning(
                    .personalRows, "in the file \(count(bad, "registration")) \(make) no message: \(kinds)",
                    at: campaign.name.range, notes: mistakes.map { .init($0, at: campaign.name.range) },
                    help: "registrations in a file have no values; give every placeholder a default")
            ]
        }
        let notes = census.firstBad.map {
            Diagnostic.Note($0.mistake.words, at: SourceRange(file: list, text: .line($0.line)))
        }
        return [
            .warning(
                .personalRows, "in '\(path)' \(count(bad, "row")) \(make) no message: \(kinds)",
                at: campaign.name.range, notes: notes,
                help: campaign.personal?.badRows == .skip
                    ? "recipients with such a row are skipped"
                    : "correct the list, or skip such rows with bad_rows: skip"
            )
        ]
    }

    /// What diagnostics call the list whose rows fill the campaign's messages.
    private func listName(of campaign: Campaign) -> String? {
        guard let path = campaign.valueOwner(groups).flatMap({ sources.list(of: $0) }) else { return nil }
        return folder.list(path, of: workspace.settings)?.name
    }
    private func warning(about small: SmallVariant) -> Diagnostic {
        .warning(
            .variantSmall, small.words, at: small.name.range, help: "give it a larger weight, or compare fewer variants"
        )
    }
}
