import FCM

/// Something that reached a device, and the state of the app at that time.
struct Arrival: Sendable {
    let content: Content
    let time: Date
    /// The state of the app.
    let app: AppState

    enum Content: Sendable {
        case message(Delivery)
        /// Android: waiting messages were discarded.
        case deletedMessages
    }
}

extension Delivery {
    /// What an installation receives of the delivery.
    func payload(on platform: Platform, of installation: RecipientKey) -> DevicePayload {
        let microseconds = sent.microsecondsSince1970
        return DevicePayload(
            of: message.fields, on: platform,
            stamp: .init(
                messageID: platform == .ios ? String(microseconds) : deviceID, installation: installation.rawValue,
                sender: MetadataService.project.number, secondsSince1970: microseconds / 1_000_000,
                topic: topic?.rawValue))
    }
}
