internal import Crypto

extension Audience {
    /// Where `herald fetch` gets an audience's list from. No other command follows it: they read what was fetched last.
    /// Its `${VAR}` are not replaced: only a fetch does that.
    package struct Origin: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// A program and its arguments. What it prints is the list.
            case command([String])
            /// A database file, as the audience's file names it.
            case sqlite(Located<String>, Query)
            /// A URI.
            case postgres(String, Query)
            case https(WebSource)
        }

        package enum Format: String, Hashable, Sendable, CaseIterable { case csv, ndjson }

        package var kind: Kind
        package var format = Format.csv
        /// The variables of the machine that a program gets. It gets no others.
        package var variables: Set<String> = []
        /// How long a fetch may take.
        package var timeout = Self.usualTimeout
        package var freshness = Freshness()
        /// By how many percent the number of rows may differ from what it was before.
        package var maxRowChange: Int?
        /// A PEM file with one more certificate authority to trust, as the audience's file names it.
        package var ca: Located<String>?

        static let usualTimeout = Duration.seconds(600)
    }

    /// How old a list may be.
    package struct Freshness: Hashable, Sendable {
        /// How often `run` fetches it. `nil`: it does not.
        package var every: Duration?
        package var warnAfter: Duration?
        /// Plans refuse an older one.
        package var errorAfter: Duration?
        /// Asked of the database: when its data were loaded there.
        package var loadedAt: String?
    }

    /// What a database is asked: one SELECT.
    package struct Query: Hashable, Sendable {
        package var text: String
        /// The file that it is in, as the audience's file names it. `nil` if it is written there.
        var file: Located<String>?

        package init(_ text: String, file: Located<String>? = nil) { (self.text, self.file) = (text, file) }
    }

    /// A list that a server gives to whoever asks for it.
    package struct WebSource: Hashable, Sendable {
        package var url: String
        /// Names in lower case.
        package var headers: [String: String] = [:]
        /// Where answers may redirect to besides the URL's own host.
        package var hosts: Set<String> = []
    }
}

extension Audience.Origin {
    /// Tells whether a list was fetched from here. What only says how to fetch, such as the time-out, is left out.
    package var digest: String {
        let words: [String]
        switch kind {
        case .command(let command): words = ["command"] + command
        // Another file may stand where the same words lead to from another folder.
        case .sqlite(let file, let query):
            words = ["sqlite", file.value.inWorkspace(from: file.range.file), query.text]
        case .postgres(let address, let query): words = ["postgres", Self.withoutPassword(address), query.text]
        case .https(let source):
            words = ["https", source.url] + source.headers.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        }
        let parts = ["herald.source/1", format.rawValue] + variables.sorted() + [""] + words
        // No part holds a zero byte, so different parts give different texts.
        return SHA256.hash(data: Array(parts.joined(separator: "\0").utf8)).hexadecimal
    }

    /// What it is asked, if it is a database.
    package var query: Audience.Query? {
        get {
            switch kind {
            case .sqlite(_, let query), .postgres(_, let query): query
            case .command, .https: nil
            }
        }
        set {
            guard let newValue else { return }
            switch kind {
            case .sqlite(let file, _): kind = .sqlite(file, newValue)
            case .postgres(let address, _): kind = .postgres(address, newValue)
            case .command, .https: break
            }
        }
    }

    /// Where the list comes from, as people may see it.
    package var place: String {
        switch kind {
        case .command(let words): words.first ?? ""
        case .sqlite(let file, _): file.value
        case .postgres(let address, _): Self.withoutPassword(address)
        case .https(let source): String(source.url.prefix { $0 != "?" })
        }
    }

    /// The address of a database as people may see it. herald refuses a password in a file, but only when it fetches.
    static func withoutPassword(_ address: String) -> String {
        var text = address
        let isVariable = { (text: Substring) in text.wholeMatch(of: #/\$\{[A-Za-z_][A-Za-z0-9_]*\}/#) != nil }
        if let begin = text.firstRange(of: "://")?.upperBound, let at = text.lastIndex(of: "@"), begin <= at,
            let colon = text[begin..<at].firstIndex(of: ":"), !isVariable(text[colon..<at].dropFirst())
        {
            text.replaceSubrange(colon..<at, with: ":(…)")
        }
        return text.replacing(#/([?&](?:ssl)?password=)([^&]*)/#) { match in
            isVariable(match.2) ? String(match.0) : "\(match.1)(…)"
        }
    }
}
