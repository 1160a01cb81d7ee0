extension DevicePayload {
    /// For how long a message is kept for a device that cannot be reached: by FCM, by APNs or by a browser's push service.
    package struct Retention: Hashable, Sendable {
        /// From when it is not delivered any more, in seconds since 1970. Not after the message was taken, it is now or
        /// never.
        package var expires: Int
        /// A waiting message gives way to the next one of its key.
        package var collapseKey: String?

        /// FCM's longest time, and what it takes where a message says nothing: 28 days, in seconds.
        static let maximum = 2_419_200
    }
}

extension JSONValue {
    /// The whole seconds of a written duration such as `3.5s`, at most ``DevicePayload/Retention/maximum``. `nil` where
    /// it is none.
    var wholeSeconds: Int? {
        guard let text = string, text.hasSuffix("s") else { return nil }
        return Int(text.dropLast().prefix { $0 != "." }).map { min(max($0, 0), DevicePayload.Retention.maximum) }
    }
}
