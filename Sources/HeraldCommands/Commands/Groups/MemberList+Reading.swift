import Foundation

extension MemberList {
    /// Keeps the rows of the list that is there, if there is one. It may be the only copy: a group that is moved to an
    /// audience is deleted at FCM and in the state.
    init(replacing path: String) throws(CommandFailure) {
        self.init()
        let place = FilePlace(path)
        guard place.isFile else { return }
        guard let bytes = FileManager.default.contents(atPath: place.path) else {
            throw CommandFailure.unreadable("the list \(path)")
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let first = lines.first else { return }
        // Only the last field may be quoted. A comma with a combining mark behind it would be another character.
        let rows = lines.dropFirst().map {
            $0.unicodeScalars.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
        }
        guard first == Self.header, rows.allSatisfy({ $0.count == 3 }) else {
            throw CommandFailure(
                .wrong, "\(path) is no list of groups and stays as it is",
                help: "name another file, or remove it first")
        }
        former = zip(rows, lines.dropFirst()).map { (group: String($0[2]).withoutQuotes, line: String($1)) }
    }
}

extension String {
    /// A field of a CSV, as it was before it was quoted.
    fileprivate var withoutQuotes: String {
        let scalars = Array(unicodeScalars)
        guard scalars.count > 1, scalars.first == "\"", scalars.last == "\"" else { return self }
        var (text, isSecond) = (String.UnicodeScalarView(), false)
        for scalar in scalars.dropFirst().dropLast() {
            isSecond = scalar == "\"" && !isSecond
            if !isSecond { text.append(scalar) }
        }
        return String(text)
    }
}
