import FCM
import HeraldCore
import HeraldTestSupport
import Testing

/// A workspace with one mistake, and one that differs only in that it has no mistake.
struct RuleCase: Sendable, CustomTestStringConvertible {
    var rule: Rule
    var name: String
    /// `▸` marks where the diagnostic must point.
    var wrong: [String: String]
    var right: [String: String]
    /// Whether the lists are read.
    var lists: ListPolicy = .required
    /// Whether rows are kept for a plan, and not checked as 'validate' does.
    var keepsLists = true
    /// Prepares what text cannot express, such as bytes and sparse files.
    var prepare: @Sendable (TemporaryFolder) throws -> Void = { _ in }

    init(_ rule: Rule, _ name: String, _ wrong: [String: String], near right: [String: String]) {
        (self.rule, self.name, self.wrong, self.right) = (rule, name, wrong, right)
    }

    /// A single text is the file `x.yaml`.
    init(_ rule: Rule, _ name: String, _ wrong: String, near right: String) {
        self.init(rule, name, ["x.yaml": wrong], near: ["x.yaml": right])
    }

    init(_ rule: Rule, _ name: String, _ wrong: String, near right: [String: String]) {
        self.init(rule, name, ["x.yaml": wrong], near: right)
    }

    init(_ rule: Rule, _ name: String, _ wrong: [String: String], near right: String) {
        self.init(rule, name, wrong, near: ["x.yaml": right])
    }

    /// The same with `--lists skip`.
    func skippingLists() -> Self {
        var copy = self
        copy.lists = .skip
        return copy
    }

    /// The same as 'validate' sees it.
    func checkingRows() -> Self {
        var copy = self
        copy.keepsLists = false
        return copy
    }

    var testDescription: String { "\(rule.rawValue): \(name)" }
}

let fid = Registration.fid(1).rawValue
let token = Registration.token(1).rawValue

extension RuleCase {
    static let all =
        files + yaml + structure + settingsCases + resources + groups + targets + conditions + schedules + lists
        + filters
        + messages + messageParts + androidParts + appleParts + webParts + wholeMessages + personalCases + campaignRules
        + windows + caps + stages + tags + followUps
}
