/// What the Instance ID service says about an instance (`/iid/info/TOKEN?details=true`).
extension ReadVerdict<SubscriptionPage> {
    init(information exchange: Exchange) {
        switch exchange {
        case .notSent(let reason): self = .again(.notSent(reason), .afterNothing)
        case .refused(let reason): self = .stop(.refused(reason))
        case .lost(let reason): self = .again(.lost(reason), .afterLoss)
        case .response(let response):
            let error = ErrorBody(response.body)
            if response.status == 200, error.status == nil {
                self.init(information: response.body)
            } else {
                self.init(failed: response, error)
            }
        }
    }

    /// Reads the body of a 200. An instance without topics has no `rel`.
    private init(information body: [UInt8]) {
        let unreadable = Self.again(.unreadable("the answer is no description of an instance"), .afterNonsense)
        guard let members = (try? JSONValue(parsing: body))?.object else {
            self = unreadable
            return
        }
        let relations = members["rel"] ?? [:]
        guard relations.object != nil, let topics = (relations["topics"] ?? [:]).object else {
            self = unreadable
            return
        }
        let names = topics.keys.compactMap(TopicName.init(rawValue:))
        self = names.count == topics.count ? .value(SubscriptionPage(topics: names.sorted())) : unreadable
    }

    /// The error is one text. The HTTP status may be 200.
    private init(failed response: Response, _ error: ErrorBody) {
        let failure = Failure(response, error)
        switch response.status {
        case 404 where error.isJSON: self = .dead(failure.named(.notFound))
        case 404, 501: self = .unavailable(failure)
        case 200, 400: self = .rejected(failure.named(.invalidArgument))
        case 401: self = .unauthenticated(failure)
        default:
            self = Verdict.Repeat(afterRepeatable: response, error).map { .again(failure, $0) } ?? .stop(failure)
        }
    }
}

extension Failure {
    /// This service writes sentences where others have codes.
    fileprivate func named(_ code: FailureCode) -> Failure {
        var copy = self
        if copy.code.contains(where: { !$0.isASCII || $0.isLowercase || $0 == " " }) { copy.code = code.rawValue }
        return copy
    }
}
