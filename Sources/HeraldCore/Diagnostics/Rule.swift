/// What a diagnostic is about. The raw value is the id that users see, search for and, later, silence.
package enum Rule: String, Hashable, Sendable, CaseIterable {
    // The file
    case fileUnreadable = "file-unreadable"
    case fileTooLarge = "file-too-large"
    case fileEncoding = "file-encoding"
    case pathOutside = "path-outside"

    // YAML
    case yamlSyntax = "yaml-syntax"
    case yamlLimit = "yaml-limit"
    case yamlTag = "yaml-tag"
    case duplicateKey = "duplicate-key"
    case undefinedAlias = "undefined-alias"
    case mergeKey = "merge-key"

    // Structure
    case unknownKey = "unknown-key"
    case missingKey = "missing-key"
    case wrongType = "wrong-type"
    case ambiguousScalar = "ambiguous-scalar"
    case nullValue = "null-value"
    case invalidValue = "invalid-value"
    case unsupported

    // Settings
    case formatVersion = "format-version"
    case undefinedVariable = "undefined-variable"

    // Resources
    case unknownKind = "unknown-kind"
    case resourceName = "resource-name"
    case topicName = "topic-name"
    case duplicateResource = "duplicate-resource"
    case unknownReference = "unknown-reference"
    case referenceCycle = "reference-cycle"
    case oneTarget = "one-target"
    case oneSource = "one-source"
    case scheduleTime = "schedule-time"
    case scheduleKeys = "schedule-keys"
    case scheduleCron = "schedule-cron"
    case scheduleZone = "schedule-zone"
    case scheduleNever = "schedule-never"

    // Lists of registrations
    case listFormat = "list-format"
    case listColumn = "list-column"
    case listRow = "list-row"
    case registrationForm = "registration-form"
    case listCompression = "list-compression"

    // Messages
    case messageTarget = "message-target"
    case emptyMessage = "empty-message"
    case apsMissing = "aps-missing"

    // Groups
    case groupName = "group-name"
    case groupMembers = "group-members"
    case groupFids = "group-fids"
    case groupSender = "group-sender"

    // What names what
    case previousName = "previous-name"
    case excludeTarget = "exclude-target"
    case whereColumn = "where-column"

    // Conditions
    case conditionSyntax = "condition-syntax"
    case conditionMixed = "condition-mixed"
    case conditionTerms = "condition-terms"
    case conditionTopic = "condition-topic"
    case broadcast
}
