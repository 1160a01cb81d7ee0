extension PostgresSettings {
    /// The parameters that an address may have: those that do not change what a statement does.
    package static let parameters: Set = [
        "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "service", "sslmode", "ssl",
        "sslrootcert", "sslcert", "sslkey", "sslpassword", "sslcrl", "sslcrldir", "sslsni", "sslnegotiation",
        "channel_binding",
        "ssl_min_protocol_version", "ssl_max_protocol_version", "require_auth", "requirepeer", "gssencmode",
        "krbsrvname", "gsslib", "connect_timeout", "application_name", "keepalives", "keepalives_idle",
        "keepalives_interval", "keepalives_count", "tcp_user_timeout", "target_session_attrs", "load_balance_hosts",
    ]

    /// What is wrong with a parameter that an address may not have: a typing mistake in `sslmode` would leave a connection
    /// unchecked. `nil` for what does not look like one, which may be a part of a password.
    package static func unknownParameter(_ key: String) -> (words: String, help: String)? {
        guard key.wholeMatch(of: #/[a-z_]{1,40}/#) != nil else { return nil }
        let near = suggestion(for: key, among: parameters)
        return (
            "herald does not take the parameter '\(key)' in the address of a database",
            near.map { "did you mean '\($0)'?" } ?? "leave out '\(key)'"
        )
    }

    /// The parameters of an address that it may not have.
    static func unknownParameters(of address: String) -> [String] {
        address.drop { $0 != "?" }.dropFirst().split(separator: "&").map { String($0.prefix { $0 != "=" }) }
            .filter { !parameters.contains($0) }
    }

    /// Whether an address has a password for all who read it: other text than one variable without a default.
    static func holdsPassword(_ address: String) -> Bool {
        let server = address.drop { $0 != "/" }.drop { $0 == "/" }
        let user = server.prefix { $0 != "/" && $0 != "?" }.split(separator: "@", omittingEmptySubsequences: false)
        let password = user.count > 1 ? user[0].split(separator: ":", maxSplits: 1).dropFirst().first : nil
        let parameters = address.matches(of: #/[?&](?:ssl)?password=([^&]*)/#).map(\.1)
        return ([password].compactMap(\.self) + parameters).contains {
            !$0.isEmpty && $0.wholeMatch(of: #/\$\{[A-Za-z_][A-Za-z0-9_]*\}/#) == nil
        }
    }
}
