import FCM

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension World {
    func status(of registration: Registration, at now: Date) -> DeviceStatus {
        var handset = handset(of: registration)
        handset.expire(at: now)
        return DeviceStatus(
            registration: registration, state: enrolment(of: registration)?.state ?? .unregistered, handset: handset)
    }

    /// Takes a device in hand: from now on it is simulated as messages come, and not when somebody looks.
    mutating func apply(_ change: DeviceChange, to registration: Registration, at now: Date) {
        meet(registration)
        var handset = handset(of: registration)
        handset.expire(at: now)
        handset.set(online: change.online, app: change.app, at: now)
        handsets[registration.recipientKey] = handset
        feed.note(.device(registration))
    }

    /// Puts the time forward. What has settled or expired by then is seen to when it is next asked for.
    mutating func advance(by seconds: TimeInterval) throws(GoogleError) {
        guard lead + seconds <= ClockCall.maximumLead else { throw .badCall("advance: ten years are the most") }
        lead += seconds
        feed.note(.clock)
    }

    /// A device that was never away has got what was sent to it, when it was sent.
    func handset(of registration: Registration) -> Handset {
        if let handset = handsets[registration.recipientKey] { return handset }
        var handset = Handset(registration.recipientKey, on: enrolments[registration]?.platform ?? .android)
        for delivery in deliveries(to: registration.recipientKey) { handset.take(delivery, at: delivery.sent) }
        return handset
    }
}
