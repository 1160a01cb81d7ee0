#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// The first place of a byte. The C library searches many bytes at a time.
    func firstPlace(of byte: UInt8) -> Int? {
        guard let start = base.baseAddress, !isEmpty else { return nil }
        guard let found = memchr(start + startIndex, Int32(byte), count) else { return nil }
        return UnsafeRawPointer(start).distance(to: found)
    }
}
