import FCMClient
import HeraldCore
import HeraldStore

/// Why a list was not fetched. The last one is still there.
enum FetchProblem: Error, Hashable {
    case notAllowed(program: String)
    case variableNotAllowed(String)
    case variableNotSet(String)
    case strayDollar
    case databaseOutside(String)
    case program(SourceProgram.Problem)
    case query(QueryError)
    /// A variable that should hold the address of a database.
    case addressForm
    case download(Download.Problem)
    case proxy(ProxyError)
    case flaw(FetchedList.Flaw)
    /// - median: what was usual before.
    /// - audience: whose list it is.
    case rowChange(rows: Int, median: Int, percent: Int, audience: String)
    case loadTime
    case timeout(Duration)
    case tooLarge
    case unwritable
    /// Somebody else's file is where people want to look at the list.
    case foreign
    /// A signal asked herald to stop.
    case stopped

    var description: String {
        switch self {
        case .notAllowed(let program): "this machine does not allow the program '\(program)'"
        case .variableNotAllowed(let name): "this machine does not allow the variable '\(name)'"
        case .variableNotSet(let name): "the variable '\(name)' is not set"
        case .strayDollar: "a $ begins no ${VARIABLE}"
        case .databaseOutside(let path): "there is no database '\(path)', or this machine does not allow it"
        case .program(let problem): problem.words
        case .query(let problem): problem.words
        case .addressForm: "the variable in 'postgres' holds no address of a database"
        case .download(let problem): problem.words
        case .proxy(let problem): "\(problem)"
        case .flaw(let flaw): "what came cannot be used: \(flaw.description)"
        case .rowChange(let rows, let median, let percent, _):
            "it has \(count(rows, "row")), and \(median.grouped) were usual: 'max_row_change' is \(percent)%"
        case .loadTime: "'loaded_at' does not give one time"
        case .timeout(let limit): "it took longer than \(limit.written)"
        case .tooLarge: "it is larger than 4 GiB"
        case .unwritable: "the list cannot be written"
        case .foreign: "that folder has a file of this name that herald did not write"
        case .stopped: "a signal stopped the fetch"
        }
    }

    var help: String {
        switch self {
        case .notAllowed: "add its absolute path to HERALD_ALLOW_COMMANDS, if it may run here"
        case .variableNotAllowed: "add it to HERALD_SOURCE_VARS, if files of the workspace may use it"
        case .variableNotSet: "set it, or take it out of the file"
        case .strayDollar: "write $$ for a dollar sign"
        case .databaseOutside: "correct the path, or move the file to the workspace or a folder of HERALD_SOURCE_PATHS"
        case .program: "run the program by hand with the variables of 'env' only: herald does not show its messages"
        case .query(.failed(_, let help?)): help
        case .query: "correct 'query', and try it by hand"
        case .addressForm: "set it to postgresql://USER@HOST/DATABASE"
        case .download(let problem): problem.help
        case .proxy(let problem): problem.help
        case .flaw: "correct the source; plans go on with the last list that could be used"
        case .rowChange(_, _, _, let name):
            "look at the list with 'herald fetch \(name) --force --out FOLDER'; 'herald fetch \(name) --force' takes it"
        case .loadTime: "let it give one RFC 3339 time, such as 2026-12-01T09:00:00Z"
        case .timeout: "make the query faster, or 'timeout' in 'fetch' longer"
        case .tooLarge: "choose fewer rows or columns"
        case .unwritable: "check the space on the disk, and who may write to \(FetchedList.folder)"
        case .foreign: "name an empty folder with --out"
        case .stopped: "fetch again; the last list is still there"
        }
    }
}

extension FetchProblem {
    /// - Parameter limit: how long the query might take.
    init(_ problem: QueryError, within limit: Duration) {
        switch problem {
        case .timeout: self = .timeout(limit)
        case .stopped: self = .stopped
        case .tooLarge: self = .tooLarge
        case .unwritable: self = .unwritable
        case .repeatedColumn: self = .flaw(.repeatedColumn)
        case .noValue: self = .loadTime
        case .failed: self = .query(problem)
        }
    }
}

extension SourceProgram.Problem {
    fileprivate var words: String {
        switch self {
        case .start: "the program cannot be started"
        case .status(let status): "the program ended with status \(status)"
        case .signal(let signal): "signal \(signal) ended the program"
        }
    }
}

extension QueryError {
    fileprivate var words: String {
        if case .failed(let problem, _) = self { problem } else { "the query failed" }
    }
}

extension Download.Problem {
    fileprivate var words: String {
        switch self {
        case .notAnAddress: "the address is no URL that begins with https://"
        case .header(let name): "the header '\(name)' has a line break or a character beyond ASCII"
        case .unreadableAuthorities: "'ca' names no file with certificates"
        case .unreachable(let reason): reason
        case .cut: "the answer ended before it was whole"
        case .timeout: "the server did not answer in time"
        case .status(let status): "the server answered HTTP \(status)"
        case .foreignRedirect: "the server redirects to a host that 'hosts' does not name, or not to https"
        case .tooManyRedirects: "the server redirects again and again"
        case .endless: "the answer does not say how long it is, so nobody can tell whether it is whole"
        case .packing: "the answer is packed in a way that herald does not read"
        case .refused: "the list cannot be written"
        }
    }

    fileprivate var help: String {
        switch self {
        case .notAnAddress: "look at 'https', and at the variables in it"
        case .header: "look at the variable in it"
        case .unreadableAuthorities: "write the path of a PEM file, relative to the audience's file"
        case .status(401), .status(403): "check the secrets in 'headers'"
        case .foreignRedirect: "add the host to 'hosts', if the list may come from there"
        case .endless: "let the server send Content-Length, or chunks"
        case .packing: "let the server send gzip, or nothing packed"
        case .unreachable, .cut, .timeout, .status, .tooManyRedirects, .refused:
            "look at the server and the network, and fetch again"
        }
    }
}
