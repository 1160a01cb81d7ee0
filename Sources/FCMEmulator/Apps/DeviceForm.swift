import FCM

/// How a device says where it receives messages: the body that the SDKs for the web and Apple send to register.
///
/// Android apps register through Play services, by a protocol that is not public. Here they send an `android` object.
struct DeviceForm {
    let platform: Platform
    /// What the app asks to be known by. SDKs that register the fid send their version, those that get a token do not.
    let kind: Registration.Kind
    /// The members as sent. The answer repeats them.
    let members: [String: JSONValue]

    init(_ document: JSONValue) throws(GoogleError) {
        let platforms = Platform.allCases.filter { document[$0.rawValue] != nil }
        guard platforms.count == 1, let platform = platforms.first, let form = document[platform.rawValue]?.object
        else {
            throw .invalidMessage("Exactly one of web, ios and android is an object.", at: "registration")
        }
        let required: [String] =
            switch platform {
            case .web: ["endpoint", "auth", "p256dh"]
            case .ios: ["apns_token"]
            case .android: []
            }
        for name in required where form[name]?.string?.isEmpty ?? true {
            throw .invalidMessage("\(name) is not set.", at: "registration.\(platform.rawValue).\(name)")
        }
        self.platform = platform
        kind = document["fcm_sdk_version"] == nil ? .token : .fid
        members = [platform.rawValue: .object(form)]
    }
}
