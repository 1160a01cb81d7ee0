#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension UnsafeRawBufferPointer {
    /// Compares byte by byte: negative if it comes before the other, zero if they are equal.
    func compared(to other: UnsafeRawBufferPointer) -> Int {
        if let one = baseAddress, let another = other.baseAddress {
            let order = memcmp(one, another, Swift.min(count, other.count))
            if order != 0 { return Int(order) }
        }
        return count - other.count
    }
}
