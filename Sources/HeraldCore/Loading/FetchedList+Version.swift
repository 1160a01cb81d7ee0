internal import Crypto
internal import FCM

extension FetchedList {
    /// Lets a server answer that nothing changed.
    package struct Version: Hashable, Sendable {
        package let tag: String?
        package let modified: String?
        private let salt: String
        /// Of what the server was asked.
        private let digest: String

        /// - Parameters:
        ///   - source: what the server was asked, with the values of variables in it.
        ///   - salt: another one each time, without a colon.
        package init?(tag: String?, modified: String?, of source: Audience.WebSource, salt: String) {
            guard tag != nil || modified != nil else { return nil }
            (self.tag, self.modified, self.salt) = (tag, modified, salt)
            digest = Self.digest(of: source, salt)
        }

        /// Whether it belongs to that question. Lists of other people may have versions of the same name.
        package func isOf(_ source: Audience.WebSource) -> Bool { digest == Self.digest(of: source, salt) }

        /// A secret in it may be short. So each guess takes long, and says nothing about another list.
        private static func digest(of source: Audience.WebSource, _ salt: String) -> String {
            let headers = source.headers.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
            // No part holds a zero byte, so different parts give different texts.
            var digest = SHA256.hash(data: Array(([salt, source.url] + headers).joined(separator: "\0").utf8))
            for _ in 0..<rounds { digest = SHA256.hash(data: Array(digest)) }
            return digest.hexadecimal
        }

        private static let rounds = 100_000
    }
}

extension FetchedList.Version {
    /// Its parts in the file beside the list.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = ["asked": .string("\(salt):\(digest)")]
        members["etag"] = tag.map { .string($0) }
        members["modified"] = modified.map { .string($0) }
        return members
    }

    /// `nil` if there is none that herald can use.
    init?(in note: JSONValue) {
        let asked = note["asked"]?.string?.split(separator: ":").map(String.init) ?? []
        (tag, modified) = (note["etag"]?.string, note["modified"]?.string)
        guard asked.count == 2, tag != nil || modified != nil else { return nil }
        (salt, digest) = (asked[0], asked[1])
    }
}
