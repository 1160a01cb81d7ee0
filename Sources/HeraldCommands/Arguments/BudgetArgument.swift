import ArgumentParser
import HeraldCore

/// How much a command may ask FCM: a number of registrations, or a time such as `10m`.
enum BudgetArgument: ExpressibleByArgument {
    case registrations(Int)
    case time(Duration)

    init?(argument: String) {
        if let count = Int(argument) {
            guard count > 0 else { return nil }
            self = .registrations(count)
        } else {
            guard let time = Duration(written: argument), time > .zero else { return nil }
            self = .time(time)
        }
    }

    var limit: Int? { if case .registrations(let count) = self { count } else { nil } }
    var time: Duration? { if case .time(let time) = self { time } else { nil } }
}
