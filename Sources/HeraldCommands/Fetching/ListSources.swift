import FCMClient
import Foundation
import HeraldCore
import HeraldStore

/// The ways to what lists come from, as far as this machine allows them.
struct ListSources {
    let folder: WorkspaceFolder
    let settings: Settings
    let environment: [String: String]
    /// Whether a signal asked herald to stop.
    let isStopped: @Sendable () -> Bool

    private var variables: SourceVariables { SourceVariables(environment) }

    /// The path of a program, and the variables that it gets.
    func program(
        _ words: [String], _ origin: Audience.Origin
    ) throws(FetchProblem) -> (path: String, variables: [String: String]) {
        let allowed = environment["HERALD_ALLOW_COMMANDS", default: ""].split(separator: ":").map(String.init)
            .filter { $0.hasPrefix("/") }
        let name = words.first ?? ""
        guard let program = allowed.first(where: { $0 == name || $0.hasSuffix("/\(name)") && !name.hasPrefix("/") })
        else { throw .notAllowed(program: name) }
        return (program, try variables.values(of: origin.variables))
    }

    /// The path of a SQLite file.
    func database(_ file: Located<String>) throws(FetchProblem) -> String {
        var place = file
        place.value = try variables.expand(file.value)
        let folders = environment["HERALD_SOURCE_PATHS", default: ""].split(separator: ":").map(String.init)
        guard let path = folder.database(place, of: settings, besidesIn: folders.filter { $0.hasPrefix("/") }) else {
            // A variable may hold a secret.
            throw .databaseOutside(file.value)
        }
        return path
    }

    func connect(to address: String, _ origin: Audience.Origin) throws(FetchProblem) -> PostgresQueries {
        let parsed = try self.address(address, ca: origin.ca)
        do throws(QueryError) { return try PostgresQueries(parsed, isStopped: isStopped) } catch {
            throw FetchProblem(hidden(error, of: address), within: origin.timeout)
        }
    }

    /// Why there is no connection, as people may see it: libpq and the server quote names, and each may be a secret.
    ///
    /// - Parameter address: as a file names it.
    func hidden(_ problem: QueryError, of address: String) -> QueryError {
        guard case .failed(let words, let help) = problem else { return problem }
        return .failed(variables.hideValues(in: words, of: address), help: help)
    }

    /// The address of a database, as a file names it.
    func address(_ address: String, ca: Located<String>?) throws(FetchProblem) -> PostgresAddress {
        // A variable may hold the whole address. Other variables stand in its parts, and cannot add a part.
        let isVariable = address.hasPrefix("${")
        let expanded = try variables.expand(address)
        let given = isVariable ? expanded : address
        guard PostgresSettings.isAddress(given) else { throw .addressForm }
        let ca = ca.map { folder.path(of: $0) }
        do throws(PostgresAddressError) {
            return try PostgresAddress(ofList: given, isFromFile: !isVariable, variables: variables.all, ca: ca)
        } catch {
            throw .query(hidden(.failed(error.description, help: error.help), of: address))
        }
    }

    /// A source with the values of its variables.
    func expanded(_ source: Audience.WebSource) throws(FetchProblem) -> Audience.WebSource {
        var expanded = source
        for (name, value) in source.headers { expanded.headers[name] = try variables.expand(value) }
        expanded.url = try variables.expand(source.url)
        return expanded
    }

    /// - Parameter source: with the values of its variables.
    func download(_ source: Audience.WebSource, _ origin: Audience.Origin) throws(FetchProblem) -> Download {
        let proxies: ProxySettings
        do throws(ProxyError) { proxies = try ProxySettings(environment: environment) } catch { throw .proxy(error) }
        do throws(Download.Problem) {
            return try Download(
                source.url, headers: source.headers, hosts: source.hosts,
                certificateAuthorities: origin.ca.map { folder.path(of: $0) }, proxies: proxies)
        } catch {
            throw .download(error)
        }
    }

    func limit(_ timeout: Duration) -> QueryLimit { QueryLimit(.now + timeout, isStopped: isStopped) }
}
