import Foundation
import HeraldCore

/// Results go to standard output, everything else to standard error.
struct Console: Sendable {
    let isQuiet: Bool
    let output: TextStyle
    let errors: TextStyle
    /// Whether standard error is a terminal that can draw over a line.
    let showsBar: Bool
    private let columns: Int?
    private let status: StatusLine

    /// - Parameter write: writes a text to standard output or standard error.
    init(
        isQuiet: Bool, allowsColor: Bool, environment: [String: String],
        write: @escaping @Sendable (_ text: String, _ descriptor: Int32) -> Void
    ) {
        self.isQuiet = isQuiet
        status = StatusLine(write: write)
        // https://no-color.org
        let isAllowed = allowsColor && environment["NO_COLOR", default: ""].isEmpty && environment["CI"] == nil
        output = TextStyle(isColored: isAllowed && isatty(STDOUT_FILENO) == 1)
        errors = TextStyle(isColored: isAllowed && isatty(STDERR_FILENO) == 1)
        showsBar = !isQuiet && environment["CI"] == nil && environment["TERM"] != "dumb" && isatty(STDERR_FILENO) == 1
        columns = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    func result(_ text: String) { status.write(text, to: STDOUT_FILENO) }

    func info(_ text: String) {
        if !isQuiet { status.write(text, to: STDERR_FILENO) }
    }

    func error(_ text: String) { status.write(text, to: STDERR_FILENO) }

    /// Shows a line on the terminal until something else is written.
    func draw(_ line: String) { status.draw(line) }

    func eraseDrawn() { status.erase() }

    /// The terminal's width in columns.
    var width: Int {
        if let columns { return columns }
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The line that a person types when asked. `nil` without a terminal, and for an empty line.
    func answer(to question: String) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        error("\(question): ")
        return readLine().flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Asks a question on the terminal; `false` without a terminal.
    func confirms(_ question: String) -> Bool {
        guard isatty(STDIN_FILENO) == 1 else { return false }
        error("\(question) Type 'yes' to continue: ")
        return readLine() == "yes"
    }
}
