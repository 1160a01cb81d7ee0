import FCM

/// What `doctor` asks FCM. Every request only validates or reads: none sends anything, and none changes anything.
struct Probe {
    let sender: any Sender
    let project: Project

    /// The names in the requests. They are well-formed, and nobody follows or made them.
    private let topic: TopicName
    private let group: GroupName
    private let registration: Registration

    init?(_ sender: any Sender, for project: Project) {
        guard let topic = TopicName(rawValue: "herald-doctor"), let group = GroupName(rawValue: "herald-doctor"),
            let registration = Registration("cHeraldDoctor000000000")
        else { return nil }
        (self.sender, self.project) = (sender, project)
        (self.topic, self.group, self.registration) = (topic, group, registration)
    }

    /// Asks. If FCM refuses the access token, it asks once more with a new one, as a run does.
    private func ask<Answer>(
        _ request: Request, _ judge: (Exchange) -> Answer, isUnauthenticated: (Answer) -> Bool
    ) async -> (verdict: Answer, date: String?) {
        var exchange = await sender.exchange(request)
        if isUnauthenticated(judge(exchange)) { exchange = await sender.exchange(request) }
        return (judge(exchange), exchange.date)
    }

    /// What FCM says of a message that it only validates.
    func askAboutMessage() async -> (verdict: Verdict, date: String?) {
        let body = #"{"validate_only":true,"message":{"topic":"\#(topic.rawValue)","data":{"check":"doctor"}}}"#
        return await ask(.send(body: Array(body.utf8)), { Verdict(send: $0, to: .topic(topic)) }) { verdict in
            if case .unauthenticated = verdict { true } else { false }
        }
    }

    /// Asks for the topics of a registration that FCM does not know.
    func askAboutSubscriptions() async -> (verdict: ReadVerdict<SubscriptionPage>, date: String?) {
        let query = Query.subscriptions(of: registration, after: nil)
        return await ask(.read(query), { ReadVerdict($0, to: query, of: project) }) { verdict in
            if case .unauthenticated = verdict { true } else { false }
        }
    }

    /// Asks for the key of a group that nobody has made.
    func askAboutGroup() async -> (verdict: GroupVerdict, date: String?) {
        let operation = GroupOperation.retrieve(group)
        return await ask(.group(operation), { GroupVerdict($0, for: operation) }) { verdict in
            if case .unauthenticated = verdict { true } else { false }
        }
    }
}

extension Exchange {
    /// When the server answered, by its own clock. `nil` if it did not answer, or did not say.
    fileprivate var date: String? { if case .response(let response) = self { response.date } else { nil } }
}
