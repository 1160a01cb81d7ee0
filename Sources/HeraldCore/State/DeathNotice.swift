package import FCM

/// A dead registration that another system is told of. Run and number never change and name it, so whoever is told twice
/// can see that.
package struct DeathNotice: Hashable, Sendable {
    /// The run that numbered it.
    package var run: String
    /// From 1.
    package var number: Int64
    package var registration: Registration
    package var died: Date

    package init(run: String, number: Int64, registration: Registration, died: Date) {
        (self.run, self.number, self.registration, self.died) = (run, number, registration, died)
    }
}
