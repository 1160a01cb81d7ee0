internal import FCM

/// What a process must know to send a part of another one's step. It travels as JSON (`SharedSend+JSON`).
package struct SharedSend: Hashable, Sendable {
    package var campaign: String
    package var occurrence: OccurrenceID
    package var content: MessageContent
    /// It has no `expiresAfter`, no window and no stages: the limits say when it ends, and the run what has opened.
    package var delivery: Campaign.Delivery
    /// Without a deadline: the run is under way.
    package var limits: TimeLimits
    /// How its messages count for caps. `nil` if they do not.
    package var counting: StartCounting?
    /// The rate of the run.
    package var runRate: Rate
    package var ramp: Duration
    /// How far the ramp has got.
    package var ramped: Duration
    package var timeout: Duration
    package var maxForgetPercent: Int
    /// Whether a person lets that guard pass.
    package var forgetsFreely: Bool
}

extension SharedSend {
    init(_ send: Plan.Send, within limits: TimeLimits, ramped: Duration, _ options: RunOptions) {
        campaign = send.campaign
        occurrence = send.occurrence
        content = send.content
        delivery = send.delivery
        // Each request is for one recipient, whatever the target.
        (delivery.expiresAfter, delivery.members, delivery.window) = (nil, .key, nil)
        (delivery.frequency, delivery.stages) = (Frequency(), nil)
        counting = send.counting
        self.limits = TimeLimits(expiry: limits.expiry, closing: limits.closing)
        (runRate, ramp, timeout) = (options.fcm.rate, options.fcm.ramp, options.fcm.timeout)
        self.ramped = ramped
        maxForgetPercent = options.guards.maxForgetPercent
        forgetsFreely = options.overrides.allow(.maxForgetPercent, for: StepID.send(send.occurrence).rawValue)
    }

    /// The send as one process carries out its part. It has the members that the process claims.
    ///
    /// - Parameter begun: which recipients get which text, as it was recorded when the occurrence began.
    func part(begun: Partition<MessageClass>) -> Plan.Send {
        var send = Plan.Send(
            campaign: campaign, occurrence: occurrence, revision: 1, due: nil, target: .registrations([]),
            contentDigest: "", content: content, deadline: nil, delivery: delivery, members: [], discovered: [],
            recipients: 0, isResumed: true)
        send.counting = counting
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
