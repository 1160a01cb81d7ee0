/// `1 error`, `2 errors`.
package func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(number.grouped) \(number == 1 ? noun : plural ?? noun + "s")"
}
