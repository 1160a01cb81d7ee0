/// When Google ends the Instance ID service and device groups (docs/reference/fcm-older.md#instance-id,
/// docs/reference/fcm-older.md#device-groups).
package enum EndOfService {
    package static let day = "2027-09-29"
    /// The first second of that day in UTC.
    package static let begin = Date(timeIntervalSince1970: 1_822_176_000)
}
