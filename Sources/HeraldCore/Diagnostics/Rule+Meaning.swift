internal import FCM

extension Rule {
    /// An error makes herald refuse the file. A warning does not. Information is advice, given once for a workspace.
    package var severity: Diagnostic.Severity {
        switch self {
        case .emptyMessage, .groupFids, .dataKey, .dataReplaced, .imageHTTP, .imageMutable,
            .ignoredOption, .deprecatedOption, .integerRounded, .apsKey, .apsFlag, .apnsHeaderUnknown, .fcmSunset,
            .fcmPreview, .endpointElsewhere,
            .pushTypeMissing, .silentPush, .dataOnly, .payloadLarge, .unfinishedText, .cutText, .shortLateness,
            .conditionRedundant, .allowUnused, .allowReason, .fieldUnused, .fieldSomeLocales, .defaultUnused,
            .localeCut, .variantAlone, .variantSame, .variantSmall, .personalRows, .windowWaits, .windowLifetime,
            .windowLifted, .stageWindow, .zoneUnknown, .capSchedule, .capUncounted, .staleList, .tagSpelling,
            .suppressTarget:
            .warning
        case .roundTime, .rowsUnchecked, .numberWord: .info
        default: .error
        }
    }

    /// What the rule is about, in one or two sentences for people.
    package var meaning: String {
        switch self {
        case .fileUnreadable: "A file that is named is not there, is no file, or may not be read."
        case .fileTooLarge: "Files have at most 64 MiB, lists at most 4 GiB."
        case .fileEncoding: "Files are UTF-8."
        case .pathOutside: "A path leads out of the workspace and the folder of lists."
        case .yamlSyntax: "The file is not YAML from here on."
        case .yamlLimit:
            "Nesting, values, aliases, anchors and the mistakes that are shown have limits, which no file made by hand should reach."
        case .yamlTag: "Tags say nothing here; the key decides what a value is."
        case .duplicateKey: "A key stands twice in one mapping."
        case .undefinedAlias: "An alias has no anchor before it in its document."
        case .mergeKey: "A merge key takes a mapping or a list of mappings."
        case .unknownKey: "The key has no meaning here; often it is a slip of the pen."
        case .missingKey: "A key is required here."
        case .wrongType: "The value is of another kind than the key takes."
        case .ambiguousScalar: "A text without quotes that versions of YAML read as a number, a date or a boolean."
        case .nullValue: "A key without a value. Leave it out."
        case .invalidValue: "The key does not take this value."
        case .formatVersion:
            "`herald.yaml` begins with the version of its format: `herald: 1`, or `herald: 2` with keys that older heralds do not know."
        case .undefinedVariable: "`${NAME}` is not set in the environment and has no default."
        case .endpointMixed: "Both services of FCM are called in one place: at Google, on this machine, or elsewhere."
        case .endpointElsewhere: "A server that is not Google's gets every registration. It is for tests only."
        case .unknownKind: "There is no such kind of resource."
        case .resourceName: "Names are up to 63 lower-case letters, digits, `.`, `_` and `-`."
        case .topicName: "Topics are 1 to 900 characters of `A-Z a-z 0-9 - _ . ~ %`, without `/topics/` or `private/`."
        case .duplicateResource: "Names are unique among the resources of a kind."
        case .unknownReference:
            "Nothing of that name is declared. A topic that only apps subscribe to needs no `subscribers`."
        case .referenceCycle: "Audiences are made of each other in a circle."
        case .oneTarget: "A campaign has exactly one target."
        case .oneSource: "An audience has exactly one source."
        case .scheduleTime: "A time is a day with a time of two-digit hours and minutes, with an offset or without."
        case .scheduleKeys: "The keys of a schedule do not go together."
        case .scheduleCron: "A cron has five fields: minute, hour, day of month, month and day of week."
        case .scheduleZone: "There is no time zone of that name."
        case .scheduleNever: "The schedule has no time at which it fires."
        case .listFormat: "A list is a `.csv`, `.txt` or `.ndjson` file, or a `.gz` of one."
        case .listColumn:
            "A list has its registrations in a column `token` or `fid`, in both, or in the `columns` that its audience names."
        case .listRow: "A row of a list holds no registration."
        case .registrationForm: "The entry is no registration of that kind."
        case .listCompression: "The file is called `.gz` and cannot be unpacked."
        case .staleList: "A list was fetched longer ago than its `warn_after` or `error_after` allows."
        case .messageTarget: "Whom a message is for stands in the campaign's `target`."
        case .emptyMessage: "Nothing is shown and nothing handed to the app."
        case .apsMissing: "FCM refuses an APNs payload without `aps`."
        case .reservedKey:
            "`from`, `message_type` and what begins with `google` or `gcm` is FCM's own; it refuses them."
        case .dataKey: "Words that FCM or Apple use for something else may reach the app with another value, or not."
        case .dataReplaced:
            "A platform with `data` of its own gets that instead of the message's `data`, not both together."
        case .dataCollision: "On Apple devices `data` and the payload's own keys lie beside each other; one is lost."
        case .imageURL: "Devices fetch images from an absolute URL with nothing in it that a URL cannot hold."
        case .imageHTTP: "Phones refuse to fetch over http unless the app allows it."
        case .imageMutable: "An Apple device shows an image only where a service extension may change the push."
        case .linkURL: "FCM takes only an absolute https URL for the page that a click opens."
        case .color: "Android's colour is `#RRGGBB`; a light's may have an alpha too."
        case .analyticsLabel: "A label is 1 to 50 characters of `A-Z a-z 0-9 - _ . ~ %`."
        case .ttlRange: "FCM keeps a message for at most 28 days."
        case .eventTime: "The event's time is a moment, so it has an offset from UTC."
        case .locArgs: "Arguments for a text of the app's own need the name of that text."
        case .integerRounded:
            "FCM carries numbers of `apns.payload` and `webpush.notification` as 64-bit floating-point numbers: whole ones beyond ±9007199254740991 (2^53 - 1) are rounded."
        case .ignoredOption: "An option that another one beside it overrides, or that FCM rounds."
        case .deprecatedOption: "FCM still takes the option and advises against it."
        case .androidVersion:
            "`android_v2` stands instead of `android`, and is either a `remote_notification` or a `background_sync`."
        case .apnsHeader: "Apple refuses the header, and with it the push."
        case .apnsHeaderUnknown: "Apple's own headers begin with `apns-`, and this is none of them."
        case .apsValue: "Apple does not take this value for a key of `aps`, and drops it or the push."
        case .apsKey: "Apple does not know the key; it is written with dashes, or belongs beside `aps`."
        case .apsFlag:
            "Apple's flags are the number 1, or left out. herald sends them so, whatever boolean stands there."
        case .pushType: "The push type says something else than the payload does."
        case .pushTypeMissing: "Apple wants the type said. herald warns, and does not add it."
        case .silentPush: "A push that wakes the app and also shows something is neither to Apple."
        case .silentPriority: "A push that shows nothing needs priority 5, and FCM's own default is 10."
        case .dataOnly: "Without `content-available` a message of data reaches no Apple app in the background."
        case .liveActivity: "A live activity needs one device, its token, its push type and its state."
        case .webpushHeader: "The push services of browsers refuse the header."
        case .webNotification: "Browsers refuse the notification or read the option otherwise."
        case .payloadSize:
            "FCM takes 4,096 bytes on each platform, overrides applied. Placeholders count as their default, or as nothing."
        case .payloadLarge: "More than 3900 bytes are near the limit; to topics FCM may take only 2048."
        case .unfinishedText:
            "A note to oneself in a text that people see, or a placeholder in a campaign without `personal`, which nobody fills in."
        case .cutText: "A space and a `#` begin a comment: what follows is not in the text. Comments have two spaces."
        case .fieldName: "A field's name has letters, digits and underscores, and no digit first."
        case .fieldColumn:
            "A field is a column that the audience's own list has once, and that holds no registrations. Each column is one field."
        case .fieldType: "The field that chooses the locale has `type: locale`."
        case .unknownField:
            "The audience that a campaign goes to declares the fields in `fields`. The campaign names those that it uses under `personal`."
        case .fieldUnused:
            "A campaign names a field that none of its texts uses. herald reads it from every row for nothing."
        case .fieldSomeLocales:
            "A field is in the text of some locales and not in that of others. Often a translation has lost it."
        case .numberWord:
            "A word after a number may need another form after another number, and herald knows no plurals. Put the number at the end, as in `Your points: {{ points }}`."
        case .personalTarget:
            "FCM itself copies a message to a topic, a condition or a group's key, so it is the same for everybody. The app can translate it: `title_loc_key`."
        case .placeholder:
            "A placeholder is `{{ field }}` or `{{ field | default: 'text' }}`. It stands in texts, links, tags and data, and never in the host of a link."
        case .defaultUnused:
            "The default of a placeholder is never used, because the field always has a value there: a row without a value for `split.by` is bad, and nobody gets a locale's text without a locale."
        case .sampleRow:
            "A sample passes the same checks as the rows of the list. It needs no value for `split.by`. In a campaign with `bad_rows: skip` a bad sample is a warning."
        case .personalRows:
            "Some rows of the list make no message, such as a row without a name that the text needs. `validate` names the first ones; `plan` does too, and its guard `personal_rows` stops the campaign unless it has `bad_rows: skip`. Registrations in a file have no values: every placeholder needs a default."
        case .rowsUnchecked: "With `--lists skip` the samples are checked, and the rows of lists are not."
        case .localeTag:
            "A locale is a language tag of BCP 47, such as `it`, `pt-BR` or `zh-Hant`, and stands there once. Case does not count, and `_` is the same as `-`. The campaign's own message is in `default_locale`, and variants have no locales that the campaign's `locales` do not have."
        case .localeCut:
            "A platform cuts the text of this locale, and not that of the message: the translation is longer. Placeholders count as their default, or as nothing."
        case .variantAlone: "With one variant there is nothing to compare it with."
        case .variantSame: "Two variants are the same to their recipients in every locale."
        case .variantSmall:
            "Fewer than 100 recipients get the variant. A difference between groups of that size is mostly chance."
        case .variantHidesLocale:
            "A variant's message replaces that of every locale. It gives what people read for each locale of the campaign too, and anything else for the locales that give it."
        case .roundTime: "FCM asks to keep large sends away from :00, :15, :30 and :45."
        case .shortLateness: "Between two runs an occurrence becomes too late to be sent."
        case .capSchedule: "A campaign is due more often than a frequency cap allows, so the cap stops it by itself."
        case .capUncounted: "A frequency cap counts people, and nobody knows whom one request to many reaches."
        case .missingTags: "With `require_tags` each campaign says with `tags` what kind of message it is."
        case .tagSpelling:
            "A tag that is spelt differently from the one in `herald.yaml` has no cap and leaves nobody out."
        case .suppressTarget:
            "`suppress` with tags leaves people out of sends to audiences and registrations. One request to many reaches all of them."
        case .windowNever:
            "The window is closed whenever the campaign is due, and it waits for no opening, or expires before one."
        case .windowWaits: "Without `expires_after`, whoever waits for a window may get a message that has grown old."
        case .windowLifetime: "A phone that was off gets the message when it is on again, also outside of the window."
        case .windowLifted:
            "A campaign that a frequency cap counts by its tags goes out at any hour. Caps are for what can wait."
        case .zoneUnknown:
            "A window or schedule goes by each recipient's zone, and no row names the zones of these recipients."
        case .zoneTarget: "One request to a topic, condition or group reaches all of it at the same instant."
        case .stageTarget: "One request to a topic, condition or group reaches all of it, so it cannot open in stages."
        case .stageTimes: "Stages wait for one another so long that the message expires before the last one."
        case .stageWindow: "Stages wait for one another longer than the send window is open in a day."
        case .stageSeeds: "Seeds are at most 1,000, and a personal message to them needs a row or a sample."
        case .groupName: "Groups are 1 to 255 printable characters without spaces."
        case .groupMembers: "FCM's groups have 1 to 20 members."
        case .groupFids: "FCM does not say that fids can be members of groups."
        case .groupSender: "Groups are made under the project's number: `sender_id`."
        case .previousName: "A previous name is the resource's own, or one that is still or twice in use."
        case .excludeTarget: "`exclude` is for audiences and registrations; other targets have their own way."
        case .whereColumn: "A filter goes by a column that the list has and that holds no registrations."
        case .whereType:
            "A comparison fits the type of the field: numbers for `integer` and `decimal`, days for `date`. Times have no type: `within` and `before` go by a column, or by a field of type `text`."
        case .whereNever: "A filter with several comparisons lets some value through."
        case .outcomeTarget:
            "An audience goes by what came of each person, and nobody knows that of one request to many."
        case .outcomeCycle:
            "A campaign's recipients must not depend on its own outcomes, also by way of other campaigns. A campaign that repeats may go by its last occurrence."
        case .conditionSyntax: "A condition is made of `'topic' in topics`, `&&`, `||`, `!(…)` and parentheses."
        case .conditionMixed: "FCM reads `&&` and `||` from left to right; parentheses say what is meant."
        case .conditionTerms: "A condition has at most five topics."
        case .conditionNever: "No device can match, whatever it follows."
        case .conditionRedundant: "The condition says something more than once, or nothing at all."
        case .broadcast: "Devices that follow no topic match too, which is nearly everybody."
        case .fcmSunset: "FCM ends device groups and the Instance ID service on \(EndOfService.day)."
        case .fcmPreview: "FCM calls `android_v2` a preview, so it may change it or take it back."
        case .allowUnused: "A comment allows a warning that is not there, or a rule that does not exist."
        case .allowReason: "A comment that silences a warning says why."
        }
    }
}
