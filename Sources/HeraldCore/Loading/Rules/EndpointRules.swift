internal import FCM

/// The rules for the servers that the settings name. Commands judge the addresses again before they connect.
struct EndpointRules {
    private let fields: Fields
    private let settings: FCMSettings

    /// - Parameter fields: The keys of `fcm`.
    init(_ fields: Fields, _ settings: FCMSettings) { (self.fields, self.settings) = (fields, settings) }

    func check(_ findings: inout Findings) {
        let fcm = place(of: settings.endpoint, "endpoint", &findings)
        let iid = settings.iidEndpoint.map { place(of: $0, "iid_endpoint", &findings) } ?? fcm
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

    /// `nil` if no command would take the text, which is reported. It is not repeated: it may have a password.
    private func place(of url: String, _ key: String, _ findings: inout Findings) -> ServerPlace? {
        var problem = "is not the address of a server"
        if let match = url.wholeMatch(of: Self.form), let host = match.2 ?? match.3,
            match.4.map({ (1...65535).contains(Int($0) ?? 0) }) ?? true
        {
            let place = ServerPlace(host: String(host))
            if !match.1.isEmpty || place == .thisMachine { return place }
            problem = "is not on this machine, so http is not allowed"
        }
        findings.error(
            .invalidValue, "'\(key)' \(problem)", at: fields[key]?.range ?? fields.range,
            help: "write https://HOST or https://HOST:PORT; http:// is only for 127.0.0.1, ::1 and localhost")
        return nil
    }

    /// The `s` of `https`, an IPv6 address, any other host, and the port. Compiled once. Nothing can change it.
    nonisolated(unsafe) private static let form =
        #/[Hh][Tt][Tt][Pp]([Ss]?)://(?:\[([0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)\]|([A-Za-z0-9._-]*[A-Za-z0-9_-]))(?::([0-9]+))?/?/#
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
