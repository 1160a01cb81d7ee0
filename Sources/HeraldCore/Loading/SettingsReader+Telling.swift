/// Where herald tells people what happens.
extension SettingsReader {
    /// The keys in which `${VAR}` is not replaced. What they stand for is a secret, and only the command that uses it
    /// reads it. The machine lists which variables may be sent away so (`HERALD_SOURCE_VARS`).
    static let secretKeys: Set = ["feedback", "heartbeat", "notify"]

    static func heartbeat(
        _ fields: Fields, _ format: SettingsFormat?, _ findings: inout Findings
    ) -> String? {
        guard let address = address("heartbeat", in: fields, &findings) else { return nil }
        format?.require(2, for: "'heartbeat'", at: fields.keyRange("heartbeat"), &findings)
        return address
    }

    /// An address that is a secret: it needs a variable, unless it is on this machine.
    static func address(_ key: String, in fields: Fields, _ findings: inout Findings) -> String? {
        guard let address = fields.string(key, &findings) else { return nil }
        guard address.value.hasPrefix("http://") || isSecret(address, of: key, &findings) else { return nil }
        return address.value
    }

    /// Whether a value has a variable, and no `$` that begins none. Otherwise it is reported.
    static func isSecret(_ text: Located<String>, of key: String, _ findings: inout Findings) -> Bool {
        var (hasVariable, isStray) = (false, false)
        _ = Variables.expand(text.value, [:]) { problem in
            switch problem {
            case .undefined: hasVariable = true
            case .stray: isStray = true
            }
        }
        let name = "\(key)_url".uppercased()
        if isStray {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "a $ must begin a ${VARIABLE}", at: text.range, help: "write $$ for a dollar sign"))
        } else if !hasVariable {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'\(key)' is a secret and must not stand in a file", at: text.range,
                    help: "write a variable, as in \"${\(name)}\", and list it in HERALD_SOURCE_VARS"))
        }
        return hasVariable && !isStray
    }
}
