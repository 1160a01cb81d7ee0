/// A part of a YAML document with its place in the file.
package struct Node: Sendable {
    package enum Content: Sendable {
        case scalar(Scalar)
        case sequence([Node])
        case mapping([Entry])
    }

    /// A scalar's text, and whether it was written without quotes. Only then does YAML give it a type.
    package struct Scalar: Hashable, Sendable {
        package var text: String
        package var isPlain: Bool
        /// Whether variables in it were replaced. Its author did not write what YAML could read as another type.
        package var isExpanded = false
    }

    /// One key of a mapping with its value. Keys are scalars, and each one occurs once in its mapping.
    package struct Entry: Sendable {
        package var key: String
        package var keyRange: TextRange
        package var value: Node
    }

    package var content: Content
    package var range: TextRange
}

extension Node {
    package var scalar: Scalar? { if case .scalar(let scalar) = content { scalar } else { nil } }
    package var sequence: [Node]? { if case .sequence(let nodes) = content { nodes } else { nil } }
    package var mapping: [Entry]? { if case .mapping(let entries) = content { entries } else { nil } }

    /// The kind of node in the words of a message.
    package var kindName: String {
        switch content {
        case .scalar: "a single value"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}
