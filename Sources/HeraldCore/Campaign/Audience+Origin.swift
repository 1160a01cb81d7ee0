internal import Crypto

extension Audience {
    /// Where `herald fetch` gets an audience's list from. No other command follows it: they read what was fetched last.
    package struct Origin: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// A program and its arguments. What it prints is the list.
            case command([String])
        }

        package enum Format: String, Hashable, Sendable, CaseIterable { case csv, ndjson }

        package var kind: Kind
        package var format = Format.csv
        /// The variables of the machine that the program gets. It gets no others.
        package var variables: Set<String> = []
        /// How long a fetch may take.
        package var timeout = Self.usualTimeout

        static let usualTimeout = Duration.seconds(600)

        /// Tells whether a list was fetched from here. What only says how to fetch, such as the time-out, is left out.
        package var digest: String {
            let words =
                switch kind {
                case .command(let words): ["command"] + words
                }
            let parts = ["herald.source/1", format.rawValue] + variables.sorted() + [""] + words
            // No part holds a zero byte, so different parts give different texts.
            return SHA256.hash(data: Array(parts.joined(separator: "\0").utf8)).hexadecimal
        }
    }
}
