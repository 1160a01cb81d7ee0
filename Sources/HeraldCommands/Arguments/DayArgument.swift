import ArgumentParser
import Foundation
import HeraldCore

/// A day on the command line, `2027-10-01`.
struct DayArgument: ExpressibleByArgument {
    /// Its first second in UTC.
    let begin: Date

    init?(argument: String) {
        guard argument.utf8.count == 10, let begin = TimeArgument(argument: argument + "T00:00:00Z")?.date else {
            return nil
        }
        self.begin = begin
    }
}
