import FCM

extension Fault {
    /// One hour in milliseconds. No client waits longer.
    private static let maximumDelay = 3_600_000
    /// One day in milliseconds.
    private static let maximumOffset = 86_400_000

    fileprivate enum Close: String, CaseIterable {
        case before, after
        case midBody = "mid_body"
    }

    fileprivate enum Body: String, CaseIterable {
        case html
    }

    /// - Parameter service: the service that the entry matches. `nil` matches all.
    init(reading reader: consuming FaultReader, for service: Service.Name?) throws(FaultScriptError) {
        delay = .milliseconds(try reader.number("delay_ms", in: 0...Self.maximumDelay) ?? 0)
        let deliver = try reader.flag("deliver")
        let close = try reader.choice("close", of: Close.self)
        let goesAway = try reader.flag("goaway") ?? false
        clockOffset = .milliseconds(
            try reader.number("clock_off_ms", in: -Self.maximumOffset...Self.maximumOffset) ?? 0)
        accepted = try reader.number("accepted_ms", in: 0...Self.maximumDelay).map { .milliseconds($0) }
        reply = try FaultReply(reading: &reader, for: service)
        try reader.finish()

        if accepted != nil, service != .oauth || reply != nil {
            throw reader.error(at: "accepted_ms", "is for a token that 'oauth' issues")
        }
        if goesAway, close != nil { throw reader.error(at: "goaway", "the connection is closed already") }
        if reply != nil, close == .before || close == .after {
            throw reader.error(at: "close", "there is no answer that could have a status")
        }
        if deliver != nil, reply == nil, close == nil {
            throw reader.error(at: "deliver", "means nothing without 'status' or 'close'")
        }
        if deliver == false, reply == nil, close == .midBody {
            throw reader.error(at: "deliver", "without 'status' it is the true answer that is cut: it had its effect")
        }
        ending =
            switch close {
            case .before, .after: .unanswered
            case .midBody: .cut
            case nil: goesAway ? .goingAway : .open
            }
        isCarriedOut = deliver ?? (reply == nil && close != .before)
    }
}

extension FaultReply {
    /// - Throws: also if members contradict each other.
    fileprivate init?(reading reader: inout FaultReader, for service: Service.Name?) throws(FaultScriptError) {
        let status = try reader.number("status", in: 200...599)
        code = try reader.text("code", service?.codeExpectation ?? "a line of printable ASCII") { code in
            service?.speaks(code) ?? true
        }
        quota = try reader.choice("quota")
        if let limit = try reader.number("quota_limit", in: 1...Int.max) {
            guard quota == .project else { throw reader.error(at: "quota_limit", "goes with 'quota': 'project'") }
            quotaLimit = limit
        }
        retryAfter = try reader.text("retry_after")
        isPage = try reader.choice("body", of: Fault.Body.self) != nil
        if let status, status < 400, !(status == 200 && service == .iid && code != nil) {
            throw reader.error(at: "status", "not an error's, 400 to 599; 200 only with a code and for 'iid'")
        }
        if isPage, code != nil || quota != nil { throw reader.error(at: "body", "a page has neither code nor quota") }
        if quota != nil {
            guard service == nil || service == .send || service == .topics else {
                throw reader.error(at: "quota", "'send' and 'topics' alone tell of quotas")
            }
            let exceeded = FailureCode.quotaExceeded.rawValue
            guard status ?? 429 == 429, code ?? exceeded == exceeded else {
                throw reader.error(at: "quota", "goes with status 429 and code \(exceeded)")
            }
        }
        guard let known = status ?? quota.map({ _ in 429 }) ?? code.flatMap({ service.status(ofFaultCode: $0) }) else {
            if code != nil { throw reader.error(at: "code", "needs a 'status'") }
            if retryAfter != nil { throw reader.error(at: "retry_after", "needs a 'status'") }
            if isPage { throw reader.error(at: "body", "needs a 'status'") }
            return nil
        }
        self.status = known
    }
}

extension Service.Name? {
    /// The HTTP status of a code in a script. `nil` if the code has no status of its own.
    fileprivate func status(ofFaultCode code: String) -> Int? {
        self == .oauth
            ? OAuthError.Code(rawValue: code).map { _ in 400 } ?? ConfigurationFlaw(rawValue: code).map { _ in 403 }
            : GoogleError.status(ofFaultCode: code)
    }
}

extension Service.Name {
    fileprivate var codeExpectation: String {
        switch self {
        case .send, .topics: "a code such as UNAVAILABLE, or a reason of APNs such as BadDeviceToken"
        case .oauth: "a code such as invalid_grant"
        case .iid, .groups: "a line of printable ASCII"
        }
    }

    /// Whether the service has error codes of this form.
    func speaks(_ code: String) -> Bool {
        switch self {
        case .send, .topics:
            AppleReason(rawValue: code) != nil
                || code.utf8.allSatisfy {
                    $0 == UInt8(ascii: "_") || (0x41...0x5a).contains($0) || (0x30...0x39).contains($0)
                }
        case .oauth:
            ConfigurationFlaw(rawValue: code) != nil
                || code.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7a).contains($0) }
        case .iid, .groups: true
        }
    }
}
