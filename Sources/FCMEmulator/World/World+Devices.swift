import FCM

extension World {
    func status(of registration: Registration, at now: Date) -> DeviceStatus {
        var simulatedDevice = simulatedDevice(of: registration)
        simulatedDevice.expire(at: now)
        return DeviceStatus(
            registration: registration, state: enrolment(of: registration)?.state ?? .unregistered,
            simulatedDevice: simulatedDevice)
    }

    /// Takes a device in hand: from now on it is simulated as messages come, and not when somebody looks.
    mutating func apply(_ change: DeviceChange, to registration: Registration, at now: Date) {
        meet(registration)
        var simulatedDevice = simulatedDevice(of: registration)
        simulatedDevice.expire(at: now)
        simulatedDevice.set(online: change.online, app: change.app, at: now)
        simulatedDevices[registration.recipientKey] = simulatedDevice
        eventLog.note(.device(registration))
    }

    /// Puts the time forward. What has settled or expired by then is seen to when it is next asked for.
    mutating func advance(by seconds: TimeInterval) throws(GoogleError) {
        guard lead + seconds <= ClockCall.maximumLead else { throw .badCall("advance: ten years are the most") }
        lead += seconds
        eventLog.note(.clock)
    }

    /// A device that was never away has got what was sent to it, when it was sent.
    func simulatedDevice(of registration: Registration) -> SimulatedDevice {
        if let simulatedDevice = simulatedDevices[registration.recipientKey] { return simulatedDevice }
        var simulatedDevice = SimulatedDevice(
            registration.recipientKey, on: enrolments[registration]?.platform ?? .android)
        for delivery in deliveries(to: registration.recipientKey) { simulatedDevice.take(delivery, at: delivery.sent) }
        return simulatedDevice
    }
}
