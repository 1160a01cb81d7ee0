import ArgumentParser

/// Wrong arguments, which end a command with status 64.
extension ValidationError {
    /// - Parameters:
    ///   - message: what is wrong.
    ///   - help: what to type instead.
    init(_ message: String, help: String) { self.init("\(message)\n  help: \(help)") }

    /// Throws if something does not hold.
    static func require(_ holds: Bool, _ message: String, help: String) throws {
        if !holds { throw ValidationError(message, help: help) }
    }

    /// Throws if an option's number is out of its range.
    static func require(_ option: String, _ number: Int, in range: ClosedRange<Int>) throws {
        try require(
            range.contains(number), "\(option): \(number) is not possible",
            help: "write a number from \(range.lowerBound) to \(range.upperBound)")
    }
}
