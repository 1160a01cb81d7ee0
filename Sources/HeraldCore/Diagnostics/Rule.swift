/// The rule that a diagnostic reports. The raw value is the id that users see, search for and silence.
package enum Rule: String, Hashable, Sendable, CaseIterable {
    // Files
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

    // Settings
    case formatVersion = "format-version"
    case undefinedVariable = "undefined-variable"
    case endpointMixed = "endpoint-mixed"
    case endpointElsewhere = "endpoint-elsewhere"

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
    case staleList = "stale-list"

    // Messages
    case messageTarget = "message-target"
    case emptyMessage = "empty-message"
    case apsMissing = "aps-missing"
    case reservedKey = "reserved-key"
    case dataKey = "data-key"
    case dataReplaced = "data-replaced"
    case dataCollision = "data-collision"
    case imageURL = "image-url"
    case imageHTTP = "image-http"
    case imageMutable = "image-mutable"
    case linkURL = "link-url"
    case color
    case analyticsLabel = "analytics-label"
    case ttlRange = "ttl-range"
    case eventTime = "event-time"
    case locArgs = "loc-args"
    case integerRounded = "integer-rounded"
    case ignoredOption = "ignored-option"
    case deprecatedOption = "deprecated-option"
    case androidVersion = "android-version"
    case apnsHeader = "apns-header"
    case apnsHeaderUnknown = "apns-header-unknown"
    case apsValue = "aps-value"
    case apsKey = "aps-key"
    case apsFlag = "aps-flag"
    case pushType = "push-type"
    case pushTypeMissing = "push-type-missing"
    case silentPush = "silent-push"
    case silentPriority = "silent-priority"
    case dataOnly = "data-only"
    case liveActivity = "live-activity"
    case webpushHeader = "webpush-header"
    case webNotification = "web-notification"
    case payloadSize = "payload-size"
    case payloadLarge = "payload-large"
    case unfinishedText = "unfinished-text"
    case cutText = "cut-text"

    // Personal messages
    case fieldName = "field-name"
    case fieldColumn = "field-column"
    case fieldType = "field-type"
    case unknownField = "unknown-field"
    case fieldUnused = "field-unused"
    case fieldSomeLocales = "field-some-locales"
    case numberWord = "number-word"
    case personalTarget = "personal-target"
    case placeholder
    case defaultUnused = "default-unused"
    case sampleRow = "sample-row"
    case personalRows = "personal-rows"
    case rowsUnchecked = "rows-unchecked"
    case localeTag = "locale-tag"
    case localeCut = "locale-cut"
    case variantAlone = "variant-alone"
    case variantSame = "variant-same"
    case variantSmall = "variant-small"
    case variantHidesLocale = "variant-hides-locale"

    // Schedules
    case roundTime = "round-time"
    case shortLateness = "short-lateness"
    case capSchedule = "cap-schedule"
    case capUncounted = "cap-uncounted"
    case missingTags = "missing-tags"
    case tagSpelling = "tag-spelling"
    case suppressTarget = "suppress-target"
    case windowNever = "window-never"
    case windowWaits = "window-waits"
    case windowLifetime = "window-lifetime"
    case windowLifted = "window-lifted"
    case zoneUnknown = "zone-unknown"
    case zoneTarget = "zone-target"
    case stageTarget = "stage-target"
    case stageTimes = "stage-times"
    case stageWindow = "stage-window"
    case stageSeeds = "stage-seeds"

    // Groups
    case groupName = "group-name"
    case groupMembers = "group-members"
    case groupFids = "group-fids"
    case groupSender = "group-sender"

    // References
    case previousName = "previous-name"
    case excludeTarget = "exclude-target"
    case whereColumn = "where-column"
    case whereType = "where-type"
    case whereNever = "where-never"
    case outcomeTarget = "outcome-target"
    case outcomeCycle = "outcome-cycle"

    // Conditions
    case conditionSyntax = "condition-syntax"
    case conditionMixed = "condition-mixed"
    case conditionTerms = "condition-terms"
    case conditionNever = "condition-never"
    case conditionRedundant = "condition-redundant"
    case broadcast

    // What FCM ends, and what it tries out
    case fcmSunset = "fcm-sunset"
    case fcmPreview = "fcm-preview"

    // Silenced warnings
    case allowUnused = "allow-unused"
    case allowReason = "allow-reason"
}
