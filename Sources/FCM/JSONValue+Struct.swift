extension JSONValue {
    /// The value as it comes out of a protobuf `Struct`, which has 64-bit floating-point numbers only.
    package var inStruct: JSONValue {
        switch self {
        case .int(let value): Self.nearest(to: Double(value))
        case .digits(let text): Double(text).map(Self.nearest) ?? self
        case .array(let items): .array(items.map(\.inStruct))
        case .object(let members): .object(members.mapValues(\.inStruct))
        case .null, .bool, .double, .string: self
        }
    }

    /// A whole number where there is one, as a device would read it.
    private static func nearest(to value: Double) -> JSONValue {
        Int64(exactly: value).map(JSONValue.int) ?? .double(value)
    }
}
