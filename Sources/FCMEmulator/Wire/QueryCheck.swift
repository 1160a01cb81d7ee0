extension Call {
    /// Refuses what Google's front end refuses before a v1 method is called: unknown query parameters, and a project
    /// number with leading zeros.
    ///
    /// - Parameter parameters: the method's own parameters, by their proto names.
    func checkQuery(of project: String, allowing parameters: Set<String>) throws(GoogleError) {
        if project.utf8.first == UInt8(ascii: "0"),
            project.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        {
            throw GoogleError(status: .invalidArgument, message: "Request contains an invalid argument.")
        }
        let known = Self.systemParameters.union(parameters).union(parameters.map(\.lowerCamelCased))
        let violations = parameterNames.filter { !known.contains($0) }.map { name in
            GoogleError.Violation(
                description: "Invalid JSON payload received. Unknown name \"\(name)\": Cannot bind query parameter. "
                    + "Field '\(name)' could not be found in request message.")
        }
        guard violations.isEmpty else { throw .violations(violations) }
    }

    /// The parameters that every method accepts, by the discovery document.
    private static let systemParameters: Set = [
        "$.xgafv", "access_token", "alt", "callback", "fields", "key", "oauth_token", "prettyPrint", "quotaUser",
        "uploadType", "upload_protocol",
    ]
}
