#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An IP address of four or sixteen bytes.
struct IPAddress: Hashable, Sendable {
    let bytes: [UInt8]

    /// `nil` for a name.
    init?(_ text: some StringProtocol) {
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: size)
            if inet_pton(family, String(text), &bytes) == 1 {
                self.bytes = bytes
                return
            }
        }
        return nil
    }

    /// Whether it is in `169.254.0.0/16` (RFC 3927) or `fe80::/10` (RFC 4291 §2.5.6).
    var isLinkLocal: Bool {
        bytes.count == 4 ? bytes.starts(with: [169, 254]) : bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
    }
}
