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
    }

    /// The function of the app, or of Firebase's part in it, that is called first.
    package struct Callbacks: Hashable, Sendable {
        /// While the app is in front.
        package var foreground: String
        /// While it is not; absent where the system shows the message and calls nobody.
        package var background: String?
        /// When a person taps what is shown.
        package var tap: String?
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

        package init(messageID: String, installation: String, sender: String, secondsSince1970: Int) {
            self.messageID = messageID
            self.installation = installation
            self.sender = sender
            self.secondsSince1970 = secondsSince1970
        }
    }

    /// - Parameter message: the v1 message; a target in it is of no meaning here.
    package init(of message: [String: JSONValue], on platform: Platform, stamp: Stamp) {
        switch platform {
        case .ios: self = ApplePush(message).payload(stamp)
        case .android: self = AndroidPush(message).payload
        case .web: self = WebPush(message).payload
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

    /// The members of it, used by the platforms alone.
    init(
        _ platform: Platform, headers: [String: JSONValue], payload: [String: JSONValue], size: Int, shown: Shown?,
        callbacks: Callbacks, warnings: [String]
    ) {
        self.platform = platform
        self.headers = headers
        self.payload = payload
        self.size = size
        self.shown = shown
        self.callbacks = callbacks
        self.warnings = warnings
    }
}

extension [String: JSONValue] {
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
