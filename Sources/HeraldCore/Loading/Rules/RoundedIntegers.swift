internal import FCM

/// The rule for whole numbers in the parts of a message that are passed on unchanged. FCM carries these as a protobuf
/// `Struct`, which has 64-bit floating-point numbers only.
struct RoundedIntegers {
    let draft: MessageDraft

    /// 2^53 - 1. Not every whole number beyond it is a 64-bit floating-point number.
    private static let largestExact = 9_007_199_254_740_991.0

    func check(_ findings: inout Findings) {
        for part in [draft.node("apns", "payload"), draft.node("webpush", "notification")] {
            if let part { check(part, "the value", &findings) }
        }
    }

    /// - Parameter name: what the node is, for use in a sentence.
    private func check(_ node: Node, _ name: String, _ findings: inout Findings) {
        for entry in node.mapping ?? [] { check(entry.value, "'\(entry.key)'", &findings) }
        for item in node.sequence ?? [] { check(item, "an entry of \(name)", &findings) }
        guard let scalar = node.scalar, scalar.isPlain, let number = JSONValue(digits: scalar.text),
            scalar.text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: "-") }),
            let size = number.number?.magnitude, size > Self.largestExact
        else { return }
        findings.warning(
            .integerRounded, "\(name) is \(scalar.text), and devices may get \(number.inStruct.compactText)",
            at: node.range, help: "if the app can read text, write \(scalar.text.quoted)")
    }
}
