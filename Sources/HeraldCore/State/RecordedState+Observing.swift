/// When FCM was asked about each registration.
extension RecordedState {
    /// So many times are told apart. Then the two oldest become the older one, so that the state stays small.
    package static let keptObservations = 12

    /// The time that a state keeps: whole milliseconds.
    package static func observationTime(_ instant: Date) -> Date {
        Date(timeIntervalSince1970: (instant.timeIntervalSince1970 * 1000).rounded(.down) / 1000)
    }

    /// When the oldest and the newest of the members were asked for, and how many never were.
    package func observed(among members: RecipientSet) -> (oldest: Date?, newest: Date?, never: Int) {
        let times = observed.states.filter { !observed[$0].intersection(members).isEmpty }
        return (times.min(), times.max(), members.subtracting(observed.all).count)
    }

    mutating func observe(_ members: RecipientSet, at instant: Date) {
        observed.move(members, to: Self.observationTime(instant))
        let times = observed.states.sorted()
        if times.count > Self.keptObservations { observed.move(observed[times[1]], to: times[0]) }
    }
}
