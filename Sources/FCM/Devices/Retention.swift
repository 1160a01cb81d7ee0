extension DevicePayload {
    /// How long FCM, APNs or a browser's push service keeps a message for a device that cannot be reached.
    package struct Retention: Hashable, Sendable {
        /// The message is not delivered from this time on, in seconds since 1970. If this is not later than the time of
        /// acceptance, there is one attempt only.
        package var expires: Int
        /// A waiting message is replaced by the next one with the same key.
        package var collapseKey: String?

        /// 28 days in seconds: FCM's maximum, and its default for a message without a TTL.
        static let maximum = 2_419_200
    }
}

extension JSONValue {
    /// The whole seconds of a duration such as `3.5s`, at most ``DevicePayload/Retention/maximum``. `nil` if the text
    /// is not a duration.
    var wholeSeconds: Int? {
        guard let text = string, text.hasSuffix("s") else { return nil }
        return Int(text.dropLast().prefix { $0 != "." }).map { min(max($0, 0), DevicePayload.Retention.maximum) }
    }
}
