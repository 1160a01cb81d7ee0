/// When the requests of a send may start: none starts outside of it.
package struct SendWindow: Hashable, Sendable {
    package var hours: DailyHours
    /// Whose wall clock it is; with a field, that of recipients whose row names no zone.
    package var zone: Zone
    /// The field of the target's audience that names the zone of each recipient. `nil` if all have the same.
    package var field: Located<String>?
    package var whenClosed: WhenClosed

    /// What becomes of recipients who are due while it is closed.
    package enum WhenClosed: String, Hashable, Sendable, CaseIterable {
        /// They wait until it opens.
        case wait
        /// They are skipped.
        case skip
    }

    /// In words: `09:00 to 21:00 Europe/Rome`.
    package var words: String {
        field.map { "\(hours) by each one's '\($0.value)', else \(zone.name)" } ?? "\(hours) \(zone.name)"
    }
}

/// A window as a file writes it.
package struct WrittenWindow: Hashable, Sendable {
    package var hours: DailyHours
    /// `nil` if it is the zone of the campaign's schedule.
    package var zone: Zone?
    package var field: Located<String>?
    package var whenClosed = SendWindow.WhenClosed.wait

    /// One that names no zone goes by the schedule's.
    ///
    /// - Parameter zoneField: the field of the schedule that has each recipient's zone.
    func window(_ schedule: Schedule, by zoneField: Located<String>?) -> SendWindow {
        SendWindow(
            hours: hours, zone: zone ?? schedule.zone, field: zone == nil && field == nil ? zoneField : field,
            whenClosed: whenClosed)
    }
}
