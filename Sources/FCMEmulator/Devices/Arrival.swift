import FCM

/// What reached a device, and how it found it.
struct Arrival: Sendable {
    let content: Content
    let time: Date
    /// Where the app was.
    let app: AppState

    enum Content: Sendable {
        case message(Delivery)
        /// Android: messages that waited were thrown away.
        case deletedMessages
    }
}

extension Delivery {
    /// What an installation gets of it.
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
