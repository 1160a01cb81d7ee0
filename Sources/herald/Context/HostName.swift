import Foundation

/// What the machine says of itself.
enum HostName {
    /// Its own number, which outlasts a new start, or else its name.
    static var current: String {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
            if let bytes = FileManager.default.contents(atPath: path), !bytes.isEmpty {
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        return ProcessInfo.processInfo.hostName
    }

    /// Since 1970, by the clock that files' times come from.
    static var nanoseconds: Int64 {
        Int64(Date().timeIntervalSince1970 * 1_000_000_000)
    }

    static var randomKey: (UInt64, UInt64) { (.random(in: 0 ... .max), .random(in: 0 ... .max)) }
}
