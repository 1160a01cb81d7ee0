/// What one device gets from a message that FCM accepted: the delivery headers, the payload, what a person sees, and
/// which function of the app is called.
package struct DevicePayload: Hashable, Sendable {
    package var platform: Platform
    /// Delivery options that are not part of the payload: the headers of APNs or web push, or Android's options.
    package var headers: [String: JSONValue]
    /// The payload as the app receives it.
    package var payload: [String: JSONValue]
    /// The bytes that count against FCM's limit. Keys that FCM adds do not count.
    package var size: Int
    /// `nil` if the message shows nothing.
    package var shown: Shown?
    package var callbacks: Callbacks
    package var retention: Retention
    /// Android only: the intent extras of the activity that a tap opens. They are the data and what the system adds.
    package var extras: [String: JSONValue] = [:]
    /// Apple devices only: the reason why APNs rejects the push.
    package var refusal: String?
    /// Things that the author probably did not intend.
    package var warnings: [String] = []

    /// FCM's limit on a payload, in bytes.
    package static let maximumSize = 4096

    /// What a person sees, before any code of the app has changed it.
    package struct Shown: Hashable, Sendable {
        package var title: String?
        package var subtitle: String?
        package var body: String?
        package var image: String?
        /// A notification replaces a shown one that has the same tag.
        package var tag: String?
    }

    /// The function of the app, or of Firebase's SDK in it, that is called first. `nil` if none is called.
    ///
    /// The system shows a message only while the app is not in the foreground. In the foreground the app has to show
    /// it.
    package struct Callbacks: Hashable, Sendable {
        package var foreground: String
        package var background: String?
        package var terminated: String?
        /// Called when a person taps the notification.
        package var tap: String?

        /// What an Android app receives when messages that waited for it were discarded.
        package static let deletedMessages = Callbacks(
            foreground: "onDeletedMessages", background: "onDeletedMessages", terminated: "onDeletedMessages")

        package subscript(_ state: AppState) -> String? {
            switch state {
            case .foreground: foreground
            case .background: background
            case .terminated: terminated
            }
        }
    }

    /// What FCM itself adds to a message.
    package struct Stamp: Hashable, Sendable {
        package var messageID: String
        /// The fid of the installation on the device.
        package var installation: String
        /// The project's number.
        package var sender: String
        /// When FCM accepted the message.
        package var secondsSince1970: Int
        /// The topic that the message was sent to, if any.
        package var topic: String?

        package init(
            messageID: String, installation: String, sender: String, secondsSince1970: Int, topic: String? = nil
        ) {
            self.messageID = messageID
            self.installation = installation
            self.sender = sender
            self.secondsSince1970 = secondsSince1970
            self.topic = topic
        }

        /// The `from` value that Android and web apps see.
        var from: String { topic.map { "/topics/\($0)" } ?? sender }
    }

    /// - Parameter message: the v1 message. A target in it is ignored.
    package init(of message: [String: JSONValue], on platform: Platform, stamp: Stamp) {
        switch platform {
        case .ios: self = ApplePush(message).payload(stamp)
        case .android: self = AndroidPush(message).payload(stamp)
        case .web: self = WebPush(message).payload(stamp)
        }
        if size > Self.maximumSize {
            warnings.append("\(size) bytes are too many: FCM takes \(Self.maximumSize)")
        }
    }

    /// The bytes that count against FCM's limit on a platform.
    package static func size(of message: [String: JSONValue], on platform: Platform) -> Int {
        switch platform {
        case .ios: ApplePush(message).size
        case .android: AndroidPush(message).size
        case .web: WebPush(message).size
        }
    }

    /// The reason why APNs would reject this message on any device.
    package static func refusal(of message: [String: JSONValue]) -> String? { ApplePush(message).refusal }

    /// The memberwise initialiser. Only the types of the platforms use it.
    init(
        _ platform: Platform, headers: [String: JSONValue], payload: [String: JSONValue], size: Int, shown: Shown?,
        callbacks: Callbacks, retention: Retention, warnings: [String]
    ) {
        self.platform = platform
        self.headers = headers
        self.payload = payload
        self.size = size
        self.shown = shown
        self.callbacks = callbacks
        self.retention = retention
        self.warnings = warnings
    }
}

extension [String: JSONValue] {
    /// Header names are case-insensitive. Of two names that differ only in case, one is kept.
    var withLowercasedKeys: Self {
        Dictionary(sorted { $0.key < $1.key }.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    /// The UTF-8 bytes of all keys and values. FCM does not document how it measures.
    var contentSize: Int { reduce(0) { $0 + $1.key.utf8.count + $1.value.contentSize } }
}

extension JSONValue {
    /// The UTF-8 bytes of all keys and values in it.
    package var contentSize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .object(let members): members.contentSize
        case .array(let elements): elements.reduce(0) { $0 + $1.contentSize }
        case .int(let number): String(number).utf8.count
        case .double(let number): String(number).utf8.count
        case .digits(let text): text.utf8.count
        case .bool(let value): value ? 4 : 5
        case .null: 4
        }
    }
}
