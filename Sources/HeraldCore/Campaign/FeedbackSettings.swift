/// Who is told of dead registrations.
package struct FeedbackSettings: Hashable, Sendable {
    /// The address of a PostgreSQL database. Its `${VAR}` are not replaced: only what tells it does that.
    package var postgres: String
    /// One statement. Its parameters are the run, and the numbers, registrations and times of death as arrays.
    package var dead: Audience.Query
    /// A PEM file with one more certificate authority to trust, as herald.yaml names it.
    package var ca: Located<String>?
}
