import ArgumentParser
import Foundation
import HeraldCore

/// A time on the command line, with its offset. It must be before the year 9000, so that times computed from it are
/// valid too.
struct TimeArgument: ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
        guard let date = Date(rfc3339: argument), date.timeIntervalSince1970 < 221_845_392_000 else { return nil }
        self.date = date
    }
}
