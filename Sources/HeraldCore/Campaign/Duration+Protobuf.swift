extension Duration {
    /// A protobuf duration in FCM's form: `3600s` for whole seconds, else with nine decimals, such as `0.250000000s`.
    package var protobufText: String {
        let (seconds, attoseconds) = components
        let nanoseconds = attoseconds / 1_000_000_000
        guard nanoseconds != 0 else { return "\(seconds)s" }
        let digits = String(nanoseconds)
        return "\(seconds).\(String(repeating: "0", count: 9 - digits.utf8.count))\(digits)s"
    }

    /// In seconds, for calculations with dates.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
