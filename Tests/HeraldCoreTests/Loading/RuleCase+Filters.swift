import HeraldCore
import HeraldTestSupport

private func audience(_ rest: String, and other: String? = nil) -> String {
    "kind: audience\nname: a\n\(rest)\n" + (other.map { "---\nkind: audience\nname: b\n\($0)\n" } ?? "")
}
private func list(_ name: String, _ text: String, _ rest: String, and other: String? = nil) -> [String: String] {
    ["x.yaml": audience("source: {file: \(name)}\n\(rest)", and: other), name: text]
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
