internal import FCM

/// What one text of a campaign looks like on phones and computers.
struct TextLook {
    /// Which text it is, and what fills it. `nil` for a campaign whose recipients all get the same.
    var words: String?
    var mocks: [NotificationMock]
}

extension PlanDocument {
    /// The texts of a campaign, each once.
    func looks(of campaign: Campaign) -> [TextLook] {
        guard campaign.content.personal != nil else {
            return [TextLook(words: nil, mocks: NotificationMock.all(for: campaign.message.value))]
        }
        return (texts[campaign.name.value] ?? []).map { text in
            TextLook(
                words: ShownText(text, of: campaign)?.summary,
                mocks: text.message(of: campaign).map { NotificationMock.all(for: $0) } ?? [])
        }
    }
}

extension Workspace {
    /// The texts of each personal campaign for reviewers, by the campaign's name. Samples fill them, and never a row.
    package func shownTexts() throws -> [String: [ChosenText]] {
        try campaigns.filter { $0.content.personal != nil }.reduce(into: [:]) { texts, campaign in
            texts[campaign.name.value] = try TextChoice().texts(
                of: DesiredSend(campaign: campaign, members: []), samples(for: campaign))
        }
    }
}
