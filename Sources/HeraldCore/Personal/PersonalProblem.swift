/// Why a text with placeholders cannot be compiled.
package struct PersonalProblem: Error, Hashable, Sendable {
    /// The keys and indices that lead to the text in the message.
    package var path: [String]
    /// In plain words, to follow "'KEY': ".
    package var words: String

    package init(path: [String], words: String) { (self.path, self.words) = (path, words) }
}
