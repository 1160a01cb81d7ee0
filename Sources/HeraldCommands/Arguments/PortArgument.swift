import ArgumentParser

/// A port to listen on. Any text is taken here, and judged by `checked`: an option with an optional value would
/// otherwise ignore a value that it cannot read.
struct PortArgument: ExpressibleByArgument, CustomStringConvertible {
    /// The system picks one.
    static let free = PortArgument(argument: "0")

    let description: String

    init(argument: String) { description = argument }

    func checked(_ option: String) throws -> Int {
        guard let number = Int(description), (0...65_535).contains(number) else {
            throw ValidationError("\(option): '\(description)' is not a port", help: "write a number from 0 to 65535")
        }
        return number
    }
}
