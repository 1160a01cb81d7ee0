import FCM

/// A message type of FCM's schema: its fields by both spellings that proto3 JSON reads, snake_case and lowerCamelCase.
struct Schema: Sendable {
    /// The protobuf type's full name, which the errors quote.
    let name: String
    private let fields: [String: Field]
    /// Fields of which at most one may be set, by the name of their oneof.
    let oneof: (name: String, members: Set<String>)?

    struct Field: Sendable {
        /// The snake_case name.
        let name: String
        let type: FieldType
    }

    init(_ name: String, oneof: (name: String, members: Set<String>)? = nil, _ types: [String: FieldType]) {
        self.name = "type.googleapis.com/" + name
        self.oneof = oneof
        var fields: [String: Field] = [:]
        for (name, type) in types {
            let field = Field(name: name, type: type)
            fields[name] = field
            fields[name.lowerCamelCased] = field
        }
        self.fields = fields
    }

    func field(_ name: String) -> Field? { fields[name] }
}

/// What a field may hold.
indirect enum FieldType: Sendable {
    case string, bool, int32, float
    case duration, timestamp
    case enumeration(String, [String])
    /// `map<string, string>`.
    case stringMap
    /// `google.protobuf.Struct`: any JSON object, its names left alone.
    case structure
    case message(Schema)
    case list(FieldType)

    /// The name by which Google's parser calls it in an error.
    var name: String {
        switch self {
        case .string, .stringMap: "TYPE_STRING"
        case .bool: "TYPE_BOOL"
        case .int32: "TYPE_INT32"
        case .float: "TYPE_FLOAT"
        case .duration: "type.googleapis.com/google.protobuf.Duration"
        case .timestamp: "type.googleapis.com/google.protobuf.Timestamp"
        case .enumeration(let name, _): "type.googleapis.com/" + name
        case .structure: "type.googleapis.com/google.protobuf.Struct"
        case .message(let schema): schema.name
        case .list(let element): element.name
        }
    }
}
