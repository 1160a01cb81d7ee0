package import HeraldCore

extension StepID: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self.init(rawValue: value) }
}
