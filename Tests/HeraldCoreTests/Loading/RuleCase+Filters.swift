import HeraldCore
import HeraldTestSupport

private func audience(_ rest: String, and other: String? = nil) -> String {
    "kind: audience\nname: a\n\(rest)\n" + (other.map { "---\nkind: audience\nname: b\n\($0)\n" } ?? "")
}
private func list(_ name: String, _ text: String, _ rest: String, and other: String? = nil) -> [String: String] {
    ["x.yaml": audience("source: {file: \(name)}\n\(rest)", and: other), name: text]
}
private func typed(_ type: String, _ filters: String) -> [String: String] {
    list("l.csv", "fid,n\n", "fields: {f: {type: \(type), column: 'n'}}\nwhere: \(filters)")
}
private func csv(_ filters: String) -> [String: String] { list("l.csv", "fid,n\n", "where: \(filters)") }

extension RuleCase {
    static let filters: [RuleCase] = [
        RuleCase(.whereColumn, "a column of registrations", csv("{▸fid: x}"), near: csv("{n: x}")),
        RuleCase(
            .whereColumn, "a named column of registrations",
            ["x.yaml": audience("source: {file: l.csv, columns: {token: id}}\nwhere: {▸id: x}"), "l.csv": "id,fid\n"],
            near: [
                "x.yaml": audience("source: {file: l.csv, columns: {token: id}}\nwhere: {fid: x}"), "l.csv": "id,fid\n",
            ]),
        RuleCase(.whereColumn, "a column that is not there", csv("{▸m: x}"), near: csv("{n: x}")),
        RuleCase(
            .whereColumn, "a column that is not there, of rows that are",
            list("l.csv", "fid,n\n\(fid),x\n", "where: {▸m: x}"),
            near: list("l.csv", "fid,n\n\(fid),x\n", "where: {n: x}")),
        RuleCase(
            .whereColumn, "a column that stands twice", list("l.csv", "fid,n,n\n", "where: {▸n: x}"),
            near: list("l.csv", "fid,n,m,m\n", "where: {n: x}")),
        RuleCase(
            .whereColumn, "a key that no row has", list("l.ndjson", "{\"fid\":\"\(fid)\"}\n", "where: {▸n: x}"),
            near: list("l.ndjson", "{\"fid\":\"\(fid)\",\"n\":null}\n", "where: {n: x}")),
        RuleCase(
            .whereColumn, "a list without columns", list("l.txt", "", "where: {▸n: x, m: z}"),
            near: list("l.ndjson", "", "where: {n: x, m: z}")),
        RuleCase(
            .whereColumn, "fids in the file", audience("fids: []\nwhere: {▸n: x}"),
            near: audience("fids: []\nwhere: {}")),
        RuleCase(
            .whereColumn, "fids behind another audience", audience("fids: []", and: "from: a\nwhere: {▸n: x}"),
            near: audience("fids: []", and: "from: a")),
        RuleCase(
            .whereColumn, "a column missing behind another audience",
            list("l.csv", "fid,n\n", "where: {n: z}", and: "from: a\nwhere: {n: x, ▸m: z}"),
            near: list("l.csv", "fid,n,m\n", "", and: "from: a\nwhere: {n: x, m: z}")),
        RuleCase(.ambiguousScalar, "a number to filter by", csv("{n: ▸7}"), near: csv("{n: '7'}")),
        RuleCase(
            .ambiguousScalar, "a boolean among others", csv("{n: [x, ▸true]}"), near: csv("{n: [x, 'true']}")),
        RuleCase(.nullValue, "nothing to filter by", csv("{n: ▸~}"), near: csv("{n: ''}")),
        RuleCase(.invalidValue, "no value to filter by", csv("{n: ▸[]}"), near: csv("{n: ['']}")),
        RuleCase(.wrongType, "a filter that is a list", csv("▸[n]"), near: csv("{}")),
        RuleCase(
            .whereColumn, "a comparison of a column that is not there", csv("{▸m: {at_least: 1, below: 2}}"),
            near: csv("{n: {at_least: 1, below: 2}}")),
        RuleCase(
            .whereColumn, "a comparison in a list without columns", list("l.txt", "", "where: {▸n: {below: 3}}"),
            near: list("l.csv", "fid,n\n", "where: {n: {below: 3}}")),
        RuleCase(.whereColumn, "a comparison of registrations", csv("{▸fid: {not: x}}"), near: csv("{n: {not: x}}")),
        RuleCase(
            .unknownKey, "an operator that does not exist", csv("{n: {▸at_most: 3}}"), near: csv("{n: {below: 3}}")),
        RuleCase(.invalidValue, "a comparison with nothing", csv("{n: ▸{}}"), near: csv("{n: {not: ''}}")),
        RuleCase(.invalidValue, "nobody to leave out", csv("{n: {not: ▸[]}}"), near: csv("{n: {not: ['']}}")),
        RuleCase(.ambiguousScalar, "a number to leave out", csv("{n: {not: [▸7]}}"), near: csv("{n: {not: ['7']}}")),
        RuleCase(.wrongType, "a number in quotes", csv("{n: {at_least: ▸'7'}}"), near: csv("{n: {at_least: 7}}")),
        RuleCase(.wrongType, "a number with an exponent", csv("{n: {below: ▸1e3}}"), near: csv("{n: {below: 1000}}")),
        RuleCase(
            .wrongType, "a day that does not exist", csv("{n: {below: ▸2027-02-29}}"),
            near: csv("{n: {below: 2028-02-29}}")),
        RuleCase(.wrongType, "a span for a number", csv("{n: {at_least: ▸180d}}"), near: csv("{n: {within: 180d}}")),
        RuleCase(.wrongType, "a list of numbers", csv("{n: {at_least: ▸[7]}}"), near: csv("{n: {at_least: 7}}")),
        RuleCase(.invalidValue, "a span without a unit", csv("{n: {within: ▸180}}"), near: csv("{n: {within: 180d}}")),
        RuleCase(
            .invalidValue, "a day for a span", csv("{n: {before: ▸2027-01-01}}"), near: csv("{n: {below: 2027-01-01}}")),
        RuleCase(.invalidValue, "a span that is too short", csv("{n: {within: ▸59s}}"), near: csv("{n: {within: 1m}}")),
        RuleCase(
            .invalidValue, "a span that is too long", csv("{n: {before: ▸87601h}}"), near: csv("{n: {before: 3650d}}")),
        RuleCase(
            .whereNever, "bounds with nothing between", csv("{n: {at_least: 20, below: ▸20.0}}"),
            near: csv("{n: {at_least: 20, below: 20.01}}")),
        RuleCase(
            .whereNever, "days with nothing between", csv("{n: {at_least: 2027-01-01, below: ▸2026-12-31}}"),
            near: csv("{n: {at_least: 2026-12-31, below: '2027-01-01'}}")),
        RuleCase(
            .whereNever, "times with nothing between", csv("{n: {within: 2d, before: ▸48h}}"),
            near: csv("{n: {within: 2d, before: 47h}}")),
        RuleCase(
            .whereNever, "a number that is a day", csv("{n: {at_least: 1, ▸below: 2027-01-01}}"),
            near: csv("{n: {at_least: 2026-01-01, below: 2027-01-01}}")),
        RuleCase(
            .whereNever, "a day that is a time", csv("{n: {at_least: 2027-01-01, ▸within: 3d}}"),
            near: csv("{n: {not: '2027-01-01', within: 3d}}")),
        RuleCase(
            .whereType, "a number for a text", typed("text", "{▸f: {at_least: 1}}"),
            near: typed("decimal", "{f: {at_least: 1}}")),
        RuleCase(
            .whereType, "a day for a number", typed("integer", "{▸f: {below: 2027-01-01}}"),
            near: typed("date", "{f: {below: 2027-01-01}}")),
        RuleCase(
            .whereType, "a time for a day", typed("date", "{▸f: {within: 3d}}"),
            near: typed("text", "{f: {within: 3d}}")),
        RuleCase(
            .unknownReference, "an audience to begin with", audience("from: ▸b"),
            near: audience("from: b", and: "fids: []")),
        RuleCase(.referenceCycle, "an audience from itself", audience("from: ▸a"), near: audience("fids: []")),
        RuleCase(
            .referenceCycle, "from and exclude in a circle", audience("from: b", and: "fids: []\nexclude: [▸a]"),
            near: audience("from: b\nexclude: [b]", and: "fids: []")),
        RuleCase(
            .oneSource, "a list and an audience", list("l.csv", "fid,n\n", "▸from: b"),
            near: audience("from: b", and: "fids: []")),
    ]
}
