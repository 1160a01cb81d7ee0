/// The keys that an app's own data must not have, or should not have.
enum DataKey {
    /// The names of FCM's own options. FCM may overwrite the values of data keys with these names.
    private static let overwritten: Set<String> = [
        "collapse_key", "delay_while_idle", "dry_run", "restricted_package_name", "time_to_live",
    ]

    static func check(_ entry: Node.Entry, _ findings: inout Findings) {
        let key = entry.key
        let start = key.prefix(6).lowercased()
        if key.isEmpty {
            findings.error(.reservedKey, "a key of data is empty", at: entry.keyRange)
        } else if key == "from" || key == "message_type" || start.hasPrefix("gcm") || start == "google" {
            findings.error(
                .reservedKey, "'\(key)' is a key of FCM's own", at: entry.keyRange,
                help: "from, message_type and keys that begin with google or gcm are refused")
        } else if overwritten.contains(key) {
            findings.warning(
                .dataKey, "'\(key)' is an option's name: the app may find FCM's value there instead of this one",
                at: entry.keyRange, help: "name it otherwise")
        } else if key == "aps" || key == "notification" {
            findings.warning(
                .dataKey, "'\(key)' in data is taken for the part of a push that has this name", at: entry.keyRange,
                help: "name it otherwise")
        }
    }
}
