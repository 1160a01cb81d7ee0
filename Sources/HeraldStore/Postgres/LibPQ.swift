internal import CLibPQ

/// PostgreSQL's client library, which is loaded when it is first needed.
enum LibPQ {
    /// Why it cannot be used. `nil` if it can.
    static let problem: String? = libpq_load().map { String(cString: $0) }
}
