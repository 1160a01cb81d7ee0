import FCM

/// A message type of FCM's schema. Its fields are found by both names of proto3 JSON, snake_case and lowerCamelCase.
struct Schema: Sendable {
    /// The full name of the protobuf type. Errors quote it.
    let name: String
    private let fields: [String: Field]
    /// The fields of which at most one may be set, with the name of their oneof.
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
    /// `google.protobuf.Struct`: any JSON object. Its names are not translated.
    case structure
    case message(Schema)
    case list(FieldType)

    /// The name that errors of Google's parser use for the type.
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
