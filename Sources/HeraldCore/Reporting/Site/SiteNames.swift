internal import Crypto

/// Names of files for names that may be anything. No two are the same, also where upper and lower case are the same.
struct SiteNames {
    private var taken: Set<String> = []

    /// Longer names are cut.
    private static let longest = 100
    /// Windows has devices of these names.
    private static let devices = Set(
        ["con", "prn", "aux", "nul"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] })

    /// A name that a file may have everywhere is kept, so that its address can be worked out.
    mutating func file(for name: String) -> String {
        if Self.isPlain(name), taken.insert(name.lowercased()).inserted { return name }
        let digest = SHA256.hash(data: Array(name.utf8)).hexadecimal
        let slug = String(decoding: name.lowercased().utf8.map { Self.isPlain($0) ? $0 : 45 }.prefix(40), as: UTF8.self)
        for length in stride(from: 12, through: digest.count, by: 4) {
            let candidate = "x\(slug)-\(digest.prefix(length))"
            if taken.insert(candidate).inserted { return candidate }
        }
        return numbered("x\(digest)")
    }

    private mutating func numbered(_ name: String) -> String {
        var number = 2
        while !taken.insert("\(name)-\(number)").inserted { number += 1 }
        return "\(name)-\(number)"
    }

    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, first.isDigit || first.isLowercaseLetter || first.isUppercaseLetter else {
            return false
        }
        let stem = String(name.prefix { $0 != "." }).lowercased()
        return name.utf8.count <= longest && !devices.contains(stem)
            && name.utf8.allSatisfy { isPlain($0) || $0.isUppercaseLetter }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isDigit || byte.isLowercaseLetter || ".-_".utf8.contains(byte)
    }
}
