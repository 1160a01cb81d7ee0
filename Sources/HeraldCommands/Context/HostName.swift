import Foundation

/// What identifies this machine.
enum HostName {
    /// The machine's ID, which stays the same over restarts, or else its name.
    static var current: String {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
            if let bytes = FileManager.default.contents(atPath: path), !bytes.isEmpty {
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        return ProcessInfo.processInfo.hostName
    }

    /// Since 1970, on the clock that sets files' times.
    static var nanoseconds: Int64 {
        Int64(Date().timeIntervalSince1970 * 1_000_000_000)
    }

    static var randomKey: (UInt64, UInt64) { (.random(in: 0 ... .max), .random(in: 0 ... .max)) }
}
