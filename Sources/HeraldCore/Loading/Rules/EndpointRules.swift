internal import FCM

/// The rules for the servers that the settings name. Commands judge the addresses again before they connect.
struct EndpointRules {
    private let fields: Fields
    private let settings: FCMSettings

    /// - Parameter fields: The keys of `fcm`.
    init(_ fields: Fields, _ settings: FCMSettings) { (self.fields, self.settings) = (fields, settings) }

    func check(_ findings: inout Findings) {
        let fcm = Self.place(of: settings.endpoint)
        let iid = settings.iidEndpoint.map(Self.place) ?? fcm
        if let fcm, let iid, fcm != iid {
            findings.error(
                .endpointMixed, "'endpoint' is \(fcm.words), and 'iid_endpoint' is \(iid.words)",
                at: fields["iid_endpoint"]?.range ?? fields.range, help: "set both to the same place, or neither")
            return
        }
        for (key, place) in [("endpoint", fcm), ("iid_endpoint", iid)] where place == .elsewhere {
            guard let node = fields[key] else { continue }
            findings.warning(
                .endpointElsewhere, "'\(key)' is \(ServerPlace.elsewhere.words)", at: node.range,
                help: "it gets messages and registrations, but no credentials; leave it out for FCM")
        }
    }

    /// `nil` if the text is no address. Commands say what is wrong with it.
    private static func place(of url: String) -> ServerPlace? {
        guard let match = url.wholeMatch(of: form) else { return nil }
        return (match.1 ?? match.2).map { ServerPlace(host: String($0)) }
    }

    /// Compiled once. Nothing can change it.
    nonisolated(unsafe) private static let form =
        #/(?:https?)://(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]/?#@:]+))(?::[0-9]+)?/?/#
}

extension ServerPlace {
    fileprivate var words: String {
        switch self {
        case .google: "Google's"
        case .thisMachine: "on this machine"
        case .elsewhere: "neither Google's nor on this machine"
        }
    }
}
