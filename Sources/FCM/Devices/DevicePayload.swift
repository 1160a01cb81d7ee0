/// What one device gets of a message that FCM took: how it travels, what it holds, what a person sees and which code of
/// the app hears of it.
package struct DevicePayload: Hashable, Sendable {
    package var platform: Platform
    /// What steers the delivery and is no part of the payload: the headers of APNs or web push, Android's options.
    package var headers: [String: JSONValue]
    /// As the app finds it.
    package var payload: [String: JSONValue]
    /// What counts against FCM's limit; keys that FCM adds do not.
    package var size: Int
    /// Absent where the message shows nothing.
    package var shown: Shown?
    package var callbacks: Callbacks
    package var retention: Retention
    /// Android only: what the activity that a tap opens finds in its intent, the data and what the system adds.
    package var extras: [String: JSONValue] = [:]
    /// Apple devices only: the reason that APNs gives instead of delivering it.
    package var refusal: String?
    /// What its author may not have meant.
    package var warnings: [String] = []

    /// FCM's limit on a payload, in bytes.
    package static let maximumSize = 4096

    /// What a person sees, before any code of the app has changed it.
    package struct Shown: Hashable, Sendable {
        package var title: String?
        package var subtitle: String?
        package var body: String?
        package var image: String?
        /// It replaces what is shown under the same one.
        package var tag: String?
    }

    /// The function of the app, or of Firebase's part in it, that is called first. Absent where nobody is called.
    ///
    /// The system shows a message only while the app is not in front; there it is the app's to show.
    package struct Callbacks: Hashable, Sendable {
        package var foreground: String
        package var background: String?
        package var terminated: String?
        /// When a person taps what is shown.
        package var tap: String?

        /// What an Android app hears of when messages that waited for it were thrown away.
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

    /// What FCM itself puts on a message.
    package struct Stamp: Hashable, Sendable {
        package var messageID: String
        /// The fid of the device's installation.
        package var installation: String
        /// The project's number.
        package var sender: String
        /// When FCM took the message.
        package var secondsSince1970: Int
        /// The topic it came through.
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

        /// As Android and web apps are told of it.
        var from: String { topic.map { "/topics/\($0)" } ?? sender }
    }

    /// - Parameter message: the v1 message; a target in it is of no meaning here.
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

    /// What counts against FCM's limit on a platform.
    package static func size(of message: [String: JSONValue], on platform: Platform) -> Int {
        switch platform {
        case .ios: ApplePush(message).size
        case .android: AndroidPush(message).size
        case .web: WebPush(message).size
        }
    }

    /// The reason that APNs gives for not delivering a message, as it does whatever the device.
    package static func refusal(of message: [String: JSONValue]) -> String? { ApplePush(message).refusal }

    /// The members of it, used by the platforms alone.
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
    /// Headers are the same in any case. Of two that are, one is taken.
    var withLowercasedKeys: Self {
        Dictionary(sorted { $0.key < $1.key }.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    /// UTF-8 bytes of all keys and values. FCM does not say how it measures.
    var contentSize: Int { reduce(0) { $0 + $1.key.utf8.count + $1.value.contentSize } }
}

extension JSONValue {
    fileprivate var contentSize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .object(let members): members.contentSize
        case .array(let elements): elements.reduce(0) { $0 + $1.contentSize }
        case .int(let number): String(number).utf8.count
        case .double(let number): String(number).utf8.count
        case .bool(let value): value ? 4 : 5
        case .null: 4
        }
    }
}
