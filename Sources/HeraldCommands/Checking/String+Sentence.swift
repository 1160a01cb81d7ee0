extension String {
    /// A line of `help:` as a whole sentence, as 'herald doctor' writes them.
    var asSentence: String {
        prefix(1).uppercased() + dropFirst() + (hasSuffix(".") || hasSuffix("?") ? "" : ".")
    }
}
