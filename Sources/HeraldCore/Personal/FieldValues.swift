/// One row's values of some fields, packed, because there are millions: for each field the length of its value in two
/// bytes (little-endian), then the value in UTF-8. A field that the row lacks has the length `missing`.
package struct FieldValues: Hashable, Sendable {
    private static let missing = UInt16.max

    package private(set) var bytes: [UInt8]

    /// - Parameter bytes: as `bytes` gives them.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    package init(_ values: [String?]) {
        bytes = []
        for value in values {
            guard var value else {
                Self.append(nil, to: &bytes)
                continue
            }
            value.withUTF8 { Self.append($0, to: &bytes) }
        }
    }

    /// Adds the value of the next field. A value has less than 64 KiB: lines of lists have at most 8 KiB.
    package static func append(_ value: UnsafeBufferPointer<UInt8>?, to bytes: inout [UInt8]) {
        guard let value, value.count < Int(missing) else {
            bytes.append(contentsOf: [0xFF, 0xFF])
            return
        }
        bytes.append(UInt8(truncatingIfNeeded: value.count))
        bytes.append(UInt8(truncatingIfNeeded: value.count >> 8))
        bytes.append(contentsOf: value)
    }

    /// Calls `body` with the place of each field's value, in order; `nil` for a value that is missing. What follows a value
    /// that is cut short is missing.
    static func eachPlace(in bytes: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>?) -> Void) {
        var position = 0
        while position + 2 <= bytes.count {
            let length = UInt16(bytes[position]) | UInt16(bytes[position + 1]) << 8
            position += 2
            guard length != missing else {
                body(nil)
                continue
            }
            let end = position + Int(length)
            guard end <= bytes.count else { return }
            body(position..<end)
            position = end
        }
    }

    /// The values of some fields, in this order. `nil` stands for a field without a value.
    func picking(_ fields: [Int?]) -> FieldValues {
        bytes.withUnsafeBufferPointer { bytes in
            var places: [Range<Int>?] = []
            places.reserveCapacity(fields.count)
            Self.eachPlace(in: bytes) { places.append($0) }
            if fields.count == places.count, fields.indices.allSatisfy({ fields[$0] == $0 }) { return self }
            var picked: [UInt8] = []
            for field in fields {
                let place = field.flatMap { $0 < places.count ? places[$0] : nil }
                Self.append(place.map { UnsafeBufferPointer(rebasing: bytes[$0]) }, to: &picked)
            }
            return FieldValues(bytes: picked)
        }
    }

    /// The values as text, for what is not on the send path.
    package var texts: [String?] {
        bytes.withUnsafeBufferPointer { bytes in
            var texts: [String?] = []
            Self.eachPlace(in: bytes) { place in
                texts.append(place.map { String(decoding: bytes[$0], as: UTF8.self) })
            }
            return texts
        }
    }
}
