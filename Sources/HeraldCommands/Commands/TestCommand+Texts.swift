import FCM
import HeraldCore

extension TestCommand {
    /// Lists are read only where somebody in them is needed: the members of an audience, or the rows that fill a
    /// personal message.
    func context() throws -> CommandContext {
        let common = Common(herald.common, options)
        if audience != nil { return try .open(common, lists: .required) }
        let context = try CommandContext.open(common, lists: .skip)
        guard text.sample == nil, try context.files.campaign(named: campaign).personal != nil else { return context }
        return try .open(common, lists: .required, about: campaign)
    }

    /// What each registration gets of a personal campaign.
    func texts(
        of campaign: Campaign, for registrations: [RecipientID: Registration], in files: LoadedWorkspace
    ) throws -> [RecipientID: ChosenText] {
        let choice = text.choice()
        guard let messages = campaign.content.personal else {
            if choice.isEmpty { return [:] }
            throw TextOptions.nothingPersonal(campaign.name.value)
        }
        let samples = files.workspace.samples(for: campaign)
        let rows = try rows(of: campaign, for: registrations, in: files)
        return try TextOptions.explaining(campaign) {
            try Dictionary(
                uniqueKeysWithValues: registrations.map { id, registration in
                    let key = Array(registration.recipientKey.rawValue.utf8)
                    return (id, try choice.text(of: messages, toDeviceOf: rows[id], key: key, samples))
                })
        }
    }

    /// The rows that the list of the campaign's audience has.
    private func rows(
        of campaign: Campaign, for registrations: [RecipientID: Registration], in files: LoadedWorkspace
    ) throws -> [RecipientID: FieldValues] {
        guard text.sample == nil, !files.workspace.listsSkipped else { return [:] }
        let recipients = ListedRecipients(files.recipientIndex)
        let sends = try Resolver.desired(of: files.workspace, recipients).sends
        guard let rows = sends.first(where: { $0.campaign.name == campaign.name })?.rows else { return [:] }
        let numbers = try recipients.numbers(of: Set(registrations.values.map(\.recipientKey)))
        let values = try rows.values(of: RecipientSet(numbers.values.sorted()))
        return registrations.compactMapValues { numbers[$0.recipientKey].flatMap { values[$0] } }
    }
}
