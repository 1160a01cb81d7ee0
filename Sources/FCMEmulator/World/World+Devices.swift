import FCM

extension World {
    func status(of registration: Registration, at now: Date) -> DeviceStatus {
        var simulatedDevice = simulatedDevice(of: registration)
        simulatedDevice.expire(at: now)
        return DeviceStatus(
            registration: registration, state: enrolment(of: registration)?.state ?? .unregistered,
            simulatedDevice: simulatedDevice)
    }

    /// Changes a device. From now on it is simulated as messages arrive, and no longer computed on demand.
    mutating func apply(_ change: DeviceChange, to registration: Registration, at now: Date) {
        meet(registration)
        var simulatedDevice = simulatedDevice(of: registration)
        simulatedDevice.expire(at: now)
        simulatedDevice.set(online: change.online, app: change.app, at: now)
        simulatedDevices[registration.recipientKey] = simulatedDevice
        eventLog.note(.device(registration))
    }

    /// Moves the time forward. Delayed and expired things are handled when they are needed next.
    mutating func advance(by seconds: TimeInterval) throws(GoogleError) {
        guard lead + seconds <= ClockCall.maximumLead else { throw .badCall("advance: ten years are the most") }
        lead += seconds
        eventLog.note(.clock)
    }

    /// The device. One that was never changed has received everything at the time of sending.
    func simulatedDevice(of registration: Registration) -> SimulatedDevice {
        if let simulatedDevice = simulatedDevices[registration.recipientKey] { return simulatedDevice }
        var simulatedDevice = SimulatedDevice(
            registration.recipientKey, on: platform(of: registration))
        for delivery in deliveries(to: registration.recipientKey) { simulatedDevice.take(delivery, at: delivery.sent) }
        return simulatedDevice
    }
}
