internal import CLibPQ
internal import Foundation
package import HeraldCore

/// Why herald does not connect with an address. No sentence has a password in it.
package struct PostgresAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// What to do about it.
    package let help: String

    init(_ description: String, help: String) { (self.description, self.help) = (description, help) }
}

/// The address of a database, read and judged by its parts as libpq reads them.
package struct PostgresAddress {
    /// What is handed to libpq.
    private let given: PostgresConnection.Parameters
    private let schema: String
    /// What libpq makes of it, with the environment and the service file.
    private let effective: PostgresConnection.Parameters

    /// - Parameters:
    ///   - isFromFile: Whether the address is written in a file that may be in git.
    ///   - environment: The values of `${VAR}`. libpq reads its own variables from the process.
    package init(
        _ settings: PostgresSettings, isFromFile: Bool, environment: [String: String]
    ) throws(PostgresAddressError) {
        try self.init(
            settings, isFromFile: isFromFile, environment: environment,
            insecureHelp:
                "set sslmode=verify-full, or 'insecure: true' in 'state' if nobody can listen or answer in between")
    }

    /// The database that a list comes from.
    ///
    /// - Parameters:
    ///   - variables: The values of `${VAR}` that lists may use.
    ///   - ca: The path of a PEM file with the authority of the server.
    package init(
        ofList address: String, isFromFile: Bool, variables: [String: String], ca: String?
    ) throws(PostgresAddressError) {
        try self.init(
            PostgresSettings(address: address), isFromFile: isFromFile, environment: variables, ca: ca,
            insecureHelp: "add sslmode=verify-full to the address")
        try checkPassword(isListed: variables["PGPASSWORD"] != nil)
    }

    private init(
        _ settings: PostgresSettings, isFromFile: Bool, environment: [String: String], ca: String? = nil,
        insecureHelp: String
    ) throws(PostgresAddressError) {
        if let problem = LibPQ.problem {
            throw PostgresAddressError(
                "PostgreSQL's client library cannot be loaded: \(problem)",
                help: "install libpq 14 or newer (Debian: libpq5; Homebrew: libpq)")
        }
        try Self.checkForm(settings.address)
        let parsed = try Self.parse(settings.address)
        for key in ["password", "sslpassword"] where isFromFile {
            guard let secret = parsed[key], secret.wholeMatch(of: #/\$\{[A-Za-z_][A-Za-z0-9_]*\}/#) == nil else {
                continue
            }
            throw PostgresAddressError(
                key == "password"
                    ? "the password of the database is written in a file"
                    : "the password of the key ('\(key)') is written in a file",
                help: "write one ${VARIABLE} without a default in its place, and set that variable")
        }
        var given: PostgresConnection.Parameters = [:]
        for (key, text) in parsed {
            var problem: Variables.Problem?
            given[key] = isFromFile ? Variables.expand(text, environment) { problem = problem ?? $0 } : text
            switch problem {
            case .undefined(let name):
                throw PostgresAddressError(
                    "the environment has no \(name), which '\(key)' needs", help: "set the variable \(name)")
            case .stray:
                throw PostgresAddressError(
                    "'\(key)': a $ stands there that begins no ${VARIABLE}", help: "write $$ for a dollar sign")
            case nil: break
            }
        }
        if let ca { given["sslrootcert"] = ca }
        try Self.checkServers(given)
        (self.given, schema) = (given, settings.schema)
        effective = try Self.effective(given)
        try judge(isInsecure: settings.isInsecure, help: insecureHelp)
    }

    /// A file that names a server must not be able to get a password that this machine has for another one. Those of
    /// password files are bound to servers.
    private func checkPassword(isListed: Bool) throws(PostgresAddressError) {
        let isThere = { (parameters: PostgresConnection.Parameters, key: String) in
            parameters[key]?.isEmpty == false
        }
        guard isThere(effective, "password"), !isThere(given, "password"), !isListed else { return }
        let isVariable = getenv("PGPASSWORD").map { $0.pointee != 0 } ?? false
        // A service has its own server.
        if isThere(given, "service"), !isThere(given, "host"), !isThere(given, "hostaddr"), !isVariable { return }
        throw PostgresAddressError(
            "the password for the database is from \(isVariable ? "PGPASSWORD" : "a service for another server")",
            help: "write it in the address, as postgresql://USER:${VARIABLE}@HOST/DATABASE, or use a password file")
    }

    package var server: PostgresServer { PostgresServer(name: name, schema: schema, parameters: given) }

    private var name: String {
        let (host, port) = (effective["host"] ?? "", effective["port"] ?? "5432")
        let database = effective["dbname"] ?? ""
        // A Unix socket is named by its folder.
        return host.hasPrefix("/") || host.hasPrefix("@")
            ? "postgresql:///\(database)?host=\(host)&port=\(port) (schema \(schema))"
            : "postgresql://\(host):\(port)/\(database) (schema \(schema))"
    }

    private func judge(isInsecure: Bool, help: String) throws(PostgresAddressError) {
        // From PGOPTIONS or a service file. It could turn off what a commit waits for.
        for key in ["options", "replication"] where effective[key]?.isEmpty == false {
            throw PostgresAddressError(
                "herald does not take '\(key)' for a database", help: "take it out of PGOPTIONS and of the service file"
            )
        }
        let addresses = effective["hostaddr"].flatMap { $0.isEmpty ? nil : $0 } ?? effective["host"] ?? ""
        let others = addresses.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            .filter { !Self.isThisMachine($0) }
        guard let other = others.first, effective["sslmode"] != "verify-full", !isInsecure else { return }
        throw PostgresAddressError(
            "the connection to \(other) is not checked: sslmode is \(effective["sslmode"] ?? "prefer")",
            help: help)
    }

    private static func isThisMachine(_ host: String) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
            || host.wholeMatch(of: #/127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}/#) != nil
    }

    private static func parse(_ address: String) throws(PostgresAddressError) -> PostgresConnection.Parameters {
        var problem: UnsafeMutablePointer<CChar>?
        // libpq's sentence may quote the address, and with it a password.
        guard let options = PQconninfoParse(address, &problem) else {
            PQfreemem(problem)
            throw unreadable
        }
        defer { PQconninfoFree(options) }
        return values(of: options)
    }

    /// All that libpq would use. A session attribute that does not exist ends it before it connects.
    private static func effective(
        _ given: PostgresConnection.Parameters
    ) throws(PostgresAddressError) -> PostgresConnection.Parameters {
        let asked = given.merging(["target_session_attrs": "herald-asks"]) { $1 }
        let names = Array(asked.keys)
        let keywords = names.map { strdup($0) } + [nil]
        let texts = names.map { strdup(asked[$0] ?? "") } + [nil]
        defer { (keywords + texts).forEach { free($0) } }
        let handle = PQconnectStartParams(
            keywords.map { UnsafePointer($0) }, texts.map { UnsafePointer($0) }, 0)
        defer { PQfinish(handle) }
        guard let handle, let options = PQconninfo(handle) else {
            throw PostgresAddressError("libpq cannot start", help: "free memory, and run the command again")
        }
        defer { PQconninfoFree(options) }
        var found = values(of: options)
        guard found["target_session_attrs"] == "herald-asks" else {
            throw PostgresAddressError(
                "the service that the address of the database names cannot be read",
                help: "look at PGSERVICEFILE, or at .pg_service.conf in your home folder")
        }
        found["target_session_attrs"] = given["target_session_attrs"]
        return found
    }

    private static func values(of options: UnsafeMutablePointer<PQconninfoOption>) -> PostgresConnection.Parameters {
        var values: PostgresConnection.Parameters = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }
}
