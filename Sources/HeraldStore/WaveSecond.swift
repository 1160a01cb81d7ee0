internal import Foundation
internal import HeraldCore

/// When a wave of an occurrence in local time is, in seconds since 1970.
struct WaveSecond: RawRepresentable, Hashable, Sendable {
    let rawValue: Int
}

extension WaveSecond {
    init(_ instant: Date) { self.init(rawValue: Int(instant.timeIntervalSince1970)) }
}

extension Partition<WaveSecond> {
    /// - Throws: `StateDamage` for a second that no date has.
    func waves() throws -> Partition<Date> {
        let sets = try states.map { (try StoredValue.date(Double($0.rawValue)), self[$0]) }
        return Partition<Date>(disjoint: Dictionary(sets) { $0.union($1) })
    }
}
