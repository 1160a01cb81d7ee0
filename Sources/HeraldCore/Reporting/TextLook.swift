internal import FCM

/// What one text of a campaign looks like on phones and computers.
struct TextLook {
    /// `nil` for a campaign whose recipients all get the same.
    var shown: ShownText?
    var message: [String: JSONValue]

    /// Which text it is, and what fills it.
    var words: String? { shown?.summary }
    var mocks: [NotificationMock] { NotificationMock.all(for: message) }
}

extension Campaign {
    /// Its texts, each once.
    ///
    /// - Parameter texts: those that readers are shown of a personal campaign.
    func looks(_ texts: [ChosenText]?) -> [TextLook] {
        guard content.personal != nil else { return [TextLook(message: message.value)] }
        return (texts ?? []).map { text in
            TextLook(shown: ShownText(text, of: self), message: text.message(of: self) ?? [:])
        }
    }
}

extension Workspace {
    /// What each campaign says, in a line for each of its texts, by the digest of its content.
    package func linesByContent() throws -> [String: [String]] {
        let texts = try shownTexts()
        let lines = campaigns.map { campaign in
            (campaign.contentDigest, campaign.looks(texts[campaign.name.value]).compactMap(\.line))
        }
        return Dictionary(lines) { first, _ in first }
    }

    /// The texts of each personal campaign for reviewers, by the campaign's name. Samples fill them, and never a row.
    package func shownTexts() throws -> [String: [ChosenText]] {
        try campaigns.filter { $0.content.personal != nil }.reduce(into: [:]) { texts, campaign in
            texts[campaign.name.value] = try TextChoice().texts(
                of: DesiredSend(campaign: campaign, members: []), samples(for: campaign))
        }
    }
}
