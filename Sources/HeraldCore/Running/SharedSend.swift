internal import FCM

/// What a process must know to send a part of another one's step. It travels as JSON (`SharedSend+JSON`).
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
