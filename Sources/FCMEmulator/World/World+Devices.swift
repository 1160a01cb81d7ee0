import FCM

extension World {
    /// What was sent to an installation: the last ``Recent/limit`` messages, oldest first.
    func deliveries(to installation: RecipientKey) -> [Delivery] {
        devices[installation]?.deliveries { topics[$0]?.recent ?? Recent() } ?? []
    }

    /// How many topics the installation of a registration follows.
    func topicCount(of registration: Registration) -> Int {
        max(enrolments[registration]?.topics.count ?? 0, devices[registration.recipientKey]?.topicCount ?? 0)
    }

    func status(of registration: Registration, at now: Date) -> DeviceStatus {
        var simulatedDevice = simulatedDevice(of: registration)
        simulatedDevice.expire(at: now)
        return DeviceStatus(
            registration: registration, state: enrolment(of: registration)?.state ?? .unregistered,
            topics: (enrolment(of: registration)?.topics.keys.sorted() ?? []),
            simulatedDevice: simulatedDevice)
    }

    /// Changes a device. From now on it is simulated as messages arrive, and no longer computed on demand.
    ///
    /// Throws if its app can have no subscriptions, or no more. Then nothing changes.
    mutating func apply(_ change: DeviceChange, to registration: Registration, at now: Date) throws(GoogleError) {
        try checkTopics(of: change, registration)
        meet(registration)
        for topic in change.leaving { leave(registration, topic, at: now) }
        for topic in change.joining { join(registration, topic, at: now) }
        // A device that only changes its topics is still computed on demand.
        if change.online == nil, change.app == nil { return eventLog.note(.device(registration)) }
        var simulatedDevice = simulatedDevice(of: registration)
        simulatedDevice.expire(at: now)
        simulatedDevice.set(online: change.online, app: change.app, at: now)
        simulatedDevices[registration.recipientKey] = simulatedDevice
        eventLog.note(.device(registration))
    }

    private func checkTopics(of change: DeviceChange, _ registration: Registration) throws(GoogleError) {
        guard !(change.joining + change.leaving).isEmpty else { return }
        guard let enrolment = enrolment(of: registration), enrolment.state == .active else {
            throw .badCall("the app is not registered, so it can have no topics")
        }
        let topics = Set(enrolment.topics.keys).subtracting(change.leaving).union(change.joining)
        guard topics.count <= SubscriptionService.maximumTopics else { throw .tooManyTopics }
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
