import ArgumentParser
import Foundation
import HeraldCore

/// Results go to standard output, everything else to standard error.
struct Console: Sendable {
    let isQuiet: Bool
    let output: TextStyle
    let errors: TextStyle

    init(isQuiet: Bool, allowsColor: Bool, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.isQuiet = isQuiet
        // https://no-color.org
        let isAllowed = allowsColor && environment["NO_COLOR", default: ""].isEmpty && environment["CI"] == nil
        output = TextStyle(isColored: isAllowed && isatty(STDOUT_FILENO) == 1)
        errors = TextStyle(isColored: isAllowed && isatty(STDERR_FILENO) == 1)
    }

    func result(_ text: String) { Self.write(text, to: STDOUT_FILENO) }

    func info(_ text: String) {
        if !isQuiet { Self.write(text, to: STDERR_FILENO) }
    }

    func error(_ text: String) { Self.write(text, to: STDERR_FILENO) }

    /// A question on the terminal; `false` without one.
    func confirms(_ question: String) -> Bool {
        guard isatty(STDIN_FILENO) == 1 else { return false }
        Self.write("\(question) Only 'yes' is taken for it: ", to: STDERR_FILENO)
        return readLine() == "yes"
    }

    /// A closed pipe is no reason to crash, and there is nobody left to tell.
    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// How a command ends. See the README for what each means.
enum ExitStatus: Int32 {
    case done = 0
    case wrong = 1
    case changes = 2
    case refused = 3
    case failed = 4
    case locked = 5
    case unknown = 6
    case stalePlan = 7
    case usage = 64

    var code: ExitCode { ExitCode(rawValue) }
}

extension Console {
    /// Says what is wrong and ends the command.
    func end(_ status: ExitStatus, _ message: String) -> ExitCode {
        error("herald: \(message)\n")
        return status.code
    }

    func end(_ error: StateError) -> ExitCode {
        switch error {
        case .missing(let path):
            end(.wrong, "there is no record at \(path); 'herald state init' makes one, or the first apply")
        case .damaged(let path, let detail): end(.wrong, "the record \(path) is damaged: \(detail)")
        case .bound(let path, let bound, let wanted):
            end(
                .wrong,
                "the record \(path) belongs to \(bound), not to \(wanted); set HERALD_STATE or 'state' to another file")
        case .locked(let path, let holder): end(.locked, "the record \(path) is in use by \(holder)")
        case .newer(let path): end(.wrong, "the record \(path) was written by a newer herald")
        case .inaccessible(let path, let detail): end(.wrong, "the record \(path) cannot be used: \(detail)")
        }
    }
}
