package import FCM

/// Plans and parts of them that reach a few people only.
extension Plan {
    /// A plan that sends the campaign's message to a few registrations. It is not an occurrence of the campaign.
    ///
    /// - Parameter texts: what each of them gets of a personal campaign.
    package init(
        testing campaign: Campaign, on registrations: [RecipientID: Registration],
        _ texts: [RecipientID: ChosenText] = [:], at now: Date
    ) {
        var delivery = campaign.delivery
        (delivery.stopWhenRejectedPercent, delivery.onUnknown, delivery.members) = (100, .hold, .key)
        var send = Send(
            campaign: campaign.name.value, occurrence: .test(of: campaign.name.value),
            revision: campaign.revision, due: nil, target: .registrations(Array(registrations.values)),
            contentDigest: campaign.contentDigest, content: campaign.content, deadline: nil,
            delivery: delivery, members: RecipientSet(registrations.keys.sorted()), discovered: [],
            recipients: registrations.count, isResumed: false)
        for (id, text) in texts { send.classes.move([id], to: text.recipients) }
        self.init(at: now, workspaceDigest: "", state: nil)
        steps = [Step(work: .send(send), reason: "a test")]
    }

    /// The first `count` recipients of each send, as a dry run takes them. Sends to a whole target add none.
    package func sample(_ count: Int) -> RecipientSet {
        let sample = steps.reduce(into: RecipientSet()) { sample, step in
            if case .send(let send) = step.work { sample.formUnion(RecipientSet(send.members.prefix(count))) }
        }
        return sample.subtracting(.target)
    }
}
