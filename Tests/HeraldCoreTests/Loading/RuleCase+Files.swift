import HeraldCore
import HeraldTestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

private func audience(_ rest: String) -> String { "kind: audience\nname: a\n\(rest)\n" }

extension RuleCase {
    static let files: [RuleCase] = [
        RuleCase(
            .fileUnreadable, "a list that is not there", audience("source: {file: ▸gone.csv}"),
            near: audience("fids: []")),
        {
            var tooLarge = RuleCase(
                .fileTooLarge, "a byte too many", ["x.yaml": audience("source: {file: ▸big.txt}")],
                near: ["x.yaml": audience("source: {file: big.txt}"), "big.txt": fid])
            tooLarge.prepare = { folder in
                try folder.write("", to: "big.txt")
                try #require(truncate("\(folder.path)/big.txt", off_t(4 << 30) + 1) == 0)
            }
            return tooLarge
        }(),
        {
            var encoding = RuleCase(
                .fileEncoding, "Latin-1", ["other.yaml": "# one\n# two\n▸"], near: ["other.yaml": "# one\n# è\n"])
            encoding.prepare = { try $0.write(Array("# one\n# two\n".utf8) + [0xE8, 0x0A], to: "other.yaml") }
            return encoding
        }(),
        RuleCase(
            .pathOutside, "a list above the workspace", audience("source: {file: ▸../list.csv}"),
            near: ["x.yaml": audience("source: {file: sub/../list.txt}"), "list.txt": fid]),
        RuleCase(
            .pathOutside, "an absolute path", audience("source: {file: ▸/etc/hosts.txt}"), near: audience("fids: []")),
    ]
}
