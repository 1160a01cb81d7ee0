internal import HeraldCore

/// What an address must be before libpq reads it. libpq guesses where a password ends that is not percent-encoded, and
/// takes the rest for the name of a server, which messages show. So nothing of such an address is quoted.
extension PostgresAddress {
    static func checkForm(_ address: String) throws(PostgresAddressError) {
        let rest = address.drop { $0 != "/" }.dropFirst(2)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !rest.contains("#"), rest.count(where: { $0 == "@" }) == authority.count(where: { $0 == "@" }),
            authority.count(where: { $0 == "@" }) <= 1
        else {
            throw PostgresAddressError(
                "the address of the database has a character that must be percent-encoded", help: encoding)
        }
        let user = authority.contains("@") ? authority.prefix { $0 != "@" } : ""
        var seen: Set<String> = user.contains(":") ? ["password"] : []
        for parameter in rest.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            let key = String(parameter.prefix { $0 != "=" })
            guard PostgresSettings.parameters.contains(key) else { throw unknown(key) }
            guard seen.insert(key).inserted else {
                throw PostgresAddressError(
                    "the address of the database has '\(key)' twice", help: "leave out one of them")
            }
        }
    }

    static let encoding =
        "percent-encode the password: @ is %40, / is %2F, ? is %3F, # is %23, % is %25 (elsewhere, too)"

    private static func unknown(_ key: String) -> PostgresAddressError {
        PostgresSettings.unknownParameter(key).map { PostgresAddressError($0.words, help: $0.help) } ?? unreadable
    }

    static var unreadable: PostgresAddressError {
        PostgresAddressError(
            "the address of the database cannot be read",
            help: "write postgresql://USER@HOST/DATABASE; \(encoding)")
    }

    /// Servers and ports as messages may show them. What else libpq took for one may be a part of a password.
    static func checkServers(_ parameters: [String: String]) throws(PostgresAddressError) {
        func parts(_ key: String) -> [Substring] {
            (parameters[key] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        }
        let hosts = parts("host") + parts("hostaddr")
        guard
            hosts.allSatisfy({
                $0.hasPrefix("/") || $0.hasPrefix("@") || $0.wholeMatch(of: #/[A-Za-z0-9._:%-]*/#) != nil
            }), parts("port").allSatisfy({ $0.isEmpty || UInt16($0) != nil })
        else { throw unreadable }
    }
}
