internal import Foundation
internal import HeraldCore

/// When FCM was asked about registrations, in milliseconds since 1970.
struct ObservationTime: RawRepresentable, Hashable, Sendable {
    let rawValue: Int

    /// The one row of the table `reading`: which topics registrations follow.
    static let reading = "subscriptions"
}

extension ObservationTime {
    init(_ instant: Date) {
        self.init(rawValue: Int((RecordedState.observationTime(instant).timeIntervalSince1970 * 1000).rounded()))
    }
}

extension Partition<ObservationTime> {
    /// - Throws: `StateDamage` for a time that no date has.
    func observed() throws -> Partition<Date> {
        let sets = try states.map { (try StoredValue.date(Double($0.rawValue) / 1000), self[$0]) }
        return Partition<Date>(disjoint: Dictionary(sets) { $0.union($1) })
    }
}
