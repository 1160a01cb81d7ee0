extension Date {
    /// Reads an HTTP date in its preferred form (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
    package init?(httpDate text: Substring) {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard let match = text.wholeMatch(of: #/[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) GMT/#),
            let month = months.firstIndex(of: String(match.2))
        else { return nil }
        self.init(rfc3339: "\(match.3)-\(month < 9 ? "0" : "")\(month + 1)-\(match.1)T\(match.4)Z")
    }
}
