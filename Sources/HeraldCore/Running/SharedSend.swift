package import FCM

/// What a process must know to send a part of another one's step. It travels as JSON.
package struct SharedSend: Hashable, Sendable {
    package var campaign: String
    package var occurrence: OccurrenceID
    package var content: MessageContent
    /// When the messages are worth nothing any more.
    package var expiry: Date?
    /// The send's own rate.
    package var rate: Rate?
    /// The rate of the run.
    package var runRate: Rate
    package var ramp: Duration
    /// How far the ramp has got.
    package var ramped: Duration
    package var timeout: Duration
    package var stopWhenRejectedPercent: Int
    package var onError: Campaign.OnError
    package var onUnknown: Campaign.OnUnknown
    package var maxForgetPercent: Int
    /// Whether a person lets that guard pass.
    package var forgetsFreely: Bool
}

extension SharedSend {
    init(_ send: Plan.Send, expiry: Date?, ramped: Duration, _ options: RunOptions) {
        campaign = send.campaign
        occurrence = send.occurrence
        content = send.content
        self.expiry = expiry
        rate = send.rate
        (runRate, ramp, timeout) = (options.fcm.rate, options.fcm.ramp, options.fcm.timeout)
        self.ramped = ramped
        stopWhenRejectedPercent = send.stopWhenRejectedPercent
        (onError, onUnknown) = (send.onError, send.onUnknown)
        maxForgetPercent = options.guards.maxForgetPercent
        forgetsFreely = options.overrides.allow(.maxForgetPercent, for: StepID.send(send.occurrence).rawValue)
    }

    /// The send as one process carries out its part. It has the members that the process claims.
    ///
    /// - Parameter begun: which recipients get which text, as it was recorded when the occurrence began.
    func part(begun: Partition<MessageClass>) -> Plan.Send {
        // Without a deadline: the run is under way. With the due time at its expiry.
        var send = Plan.Send(
            campaign: campaign, occurrence: occurrence, revision: 1, due: expiry, target: .registrations([]),
            contentDigest: "", content: content, deadline: nil, expiresAfter: expiry.map { _ in .zero }, rate: rate,
            stopWhenRejectedPercent: stopWhenRejectedPercent, onError: onError, onUnknown: onUnknown, members: [],
            discovered: [], recipients: 0, isResumed: true)
        if let messages = content.personal {
            send.classes = begun.without { $0.isHoldout || messages.index(of: $0) == nil }
        }
        return send
    }

    var options: RunOptions {
        var fcm = FCMSettings()
        (fcm.rate, fcm.ramp, fcm.timeout) = (runRate, ramp, timeout)
        var guards = GuardLimits()
        guards.maxForgetPercent = maxForgetPercent
        var overrides = Overrides()
        if forgetsFreely { overrides.entries = [.init(kind: .maxForgetPercent)] }
        return RunOptions(fcm: fcm, guards: guards, overrides: overrides)
    }
}

// MARK: JSON

extension SharedSend {
    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "campaign": .string(campaign), "occurrence": .string(occurrence.rawValue),
            "expiry": expiry.map { .double($0.timeIntervalSince1970) } ?? .null,
            "rate": rate.map(Self.json) ?? .null, "run_rate": Self.json(runRate), "ramp": Self.json(ramp),
            "ramped": Self.json(ramped), "timeout": Self.json(timeout),
            "stop_when_rejected_percent": .int(Int64(stopWhenRejectedPercent)), "on_error": .string(onError.rawValue),
            "on_unknown": .string(onUnknown.rawValue), "max_forget_percent": .int(Int64(maxForgetPercent)),
            "forgets_freely": .bool(forgetsFreely),
        ]
        members[content.travelling.key] = content.travelling.value
        return .object(members)
    }

    /// Reads what a conductor of the same herald wrote. `nil` if it is anything else.
    package init?(reading bytes: [UInt8]) {
        guard let json = try? JSONValue(strictly: bytes, depth: 100),
            let campaign = json["campaign"]?.string, let occurrence = json["occurrence"]?.string,
            let content = MessageContent(travelling: json),
            let runRate = json["run_rate"].flatMap(Self.rate), let ramp = json["ramp"].flatMap(Self.duration),
            let ramped = json["ramped"].flatMap(Self.duration), let timeout = json["timeout"].flatMap(Self.duration),
            let rejected = json["stop_when_rejected_percent"].flatMap(Self.percent),
            let forget = json["max_forget_percent"].flatMap(Self.percent),
            let onError = json["on_error"]?.string.flatMap(Campaign.OnError.init),
            let onUnknown = json["on_unknown"]?.string.flatMap(Campaign.OnUnknown.init)
        else { return nil }
        self.init(
            campaign: campaign, occurrence: OccurrenceID(rawValue: occurrence), content: content,
            expiry: json["expiry"].flatMap(Self.seconds).map { Date(timeIntervalSince1970: $0) },
            rate: json["rate"].flatMap(Self.rate), runRate: runRate, ramp: ramp, ramped: ramped, timeout: timeout,
            stopWhenRejectedPercent: rejected, onError: onError, onUnknown: onUnknown,
            maxForgetPercent: forget,
            forgetsFreely: json["forgets_freely"] == .bool(true))
    }

    private static func json(_ rate: Rate) -> JSONValue {
        if case .limited(let limit) = rate { .int(Int64(limit)) } else { "unlimited" }
    }

    private static func json(_ duration: Duration) -> JSONValue { .int(Int64(duration.seconds * 1000)) }

    private static func rate(_ json: JSONValue) -> Rate? {
        if json == "unlimited" { return .unlimited }
        return json.int.flatMap { (1...1_000_000_000).contains($0) ? .limited(Int($0)) : nil }
    }

    /// At most some thirty years, in milliseconds.
    private static func duration(_ json: JSONValue) -> Duration? {
        json.int.flatMap { (0...1_000_000_000_000).contains($0) ? .milliseconds($0) : nil }
    }

    private static func percent(_ json: JSONValue) -> Int? {
        json.int.flatMap { (0...100).contains($0) ? Int($0) : nil }
    }

    /// Years 1970 to 9999.
    private static func seconds(_ json: JSONValue) -> Double? {
        let number: Double? =
            switch json {
            case .int(let value): Double(value)
            case .double(let value): value
            case .digits(let text): Double(text)
            default: nil
            }
        return number.flatMap { (0..<253_402_300_800).contains($0) ? $0 : nil }
    }
}
