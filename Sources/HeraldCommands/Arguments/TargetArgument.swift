import ArgumentParser
import HeraldCore

extension WrittenTarget {
    init(argument: String) throws {
        guard let target = WrittenTarget(argument) else {
            let kinds = Self.kinds.map { "\($0):…" }.joined(separator: ", ")
            throw ValidationError(
                "'\(argument.printable)' is not a target",
                help: "write one of \(kinds); registrations are listed by hand")
        }
        self = target
    }
}
