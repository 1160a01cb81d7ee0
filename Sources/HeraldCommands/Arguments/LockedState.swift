import ArgumentParser
import HeraldCore

/// What a run does when another run holds the state's lock: `fail`, `skip`, or `wait=30s`.
enum LockedState: ExpressibleByArgument, Hashable, Sendable {
    case fail, skip
    case wait(Duration)

    init?(argument: String) {
        switch argument {
        case "fail": self = .fail
        case "skip": self = .skip
        default:
            guard argument.hasPrefix("wait="), let wait = Duration(written: String(argument.dropFirst(5))) else {
                return nil
            }
            self = .wait(wait)
        }
    }

    var defaultValueDescription: String { "fail" }
}
