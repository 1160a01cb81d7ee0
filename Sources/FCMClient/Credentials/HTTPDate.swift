/// The preferred form of an HTTP date (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    /// Seconds since 1970; `nil` for any other form.
    static func seconds(_ text: String) -> Double? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])) else {
            return nil
        }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return try? Date("\(words[3])-\(number)-\(words[1])T\(words[4])Z", strategy: .iso8601).timeIntervalSince1970
    }
}
