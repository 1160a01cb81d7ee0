/// What a message is read as.
struct MessageReading: Sendable {
    /// The message of a campaign whose recipients all get the same.
    static let plain = MessageReading()
    static let personal = MessageReading(isPersonal: true)
    /// What a locale or a variant changes.
    static let patch = MessageReading(isPersonal: true, isPatch: true)

    /// Whether placeholders are filled in.
    private(set) var isPersonal = false
    /// Whether it changes another message by RFC 7396. Then `null` removes what the other one says.
    private(set) var isPatch = false
}
