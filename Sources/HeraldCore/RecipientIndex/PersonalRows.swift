internal import Synchronization

/// The rows of the recipients of one campaign whose messages or stages need them. Copies share them.
package struct PersonalRows: Sendable {
    private let owner: RecipientIndex.Owner
    private let values: NewestValues
    private let places: FieldPlaces
    /// What those get who have no row of the owner.
    private var substitutes: [RecipientID: FieldValues] = [:]

    init(of owner: RecipientIndex.Owner, in values: NewestValues, _ fields: [Field]) {
        (self.owner, self.values) = (owner, values)
        places = FieldPlaces(of: fields, among: values.columns(of: owner))
    }

    /// Gathers the rows, so that nobody waits for that later.
    package func prepare() throws(RecipientIndexError) { _ = try values.file() }

    /// The values of some recipients. Who has no row and was not filled in is left out.
    package func values(of ids: RecipientSet) throws(RecipientIndexError) -> [RecipientID: FieldValues] {
        let found = try values.file().values(of: ids, in: owner).mapValues(places.pick)
        return substitutes.isEmpty ? found : substitutes(for: ids).merging(found) { $1 }
    }

    /// What those of some recipients get who were filled in, whether they have a row or not.
    func substitutes(for ids: RecipientSet) -> [RecipientID: FieldValues] {
        substitutes.filter { ids.contains($0.key) }
    }

    /// Fills messages to some who have no row with the same values.
    mutating func fill(_ members: RecipientSet, with values: FieldValues) {
        for id in members { substitutes[id] = values }
    }

    /// Calls `body` with the rows of some recipients, in the order of their numbers.
    func each(
        of members: RecipientSet, _ body: (ValueFile.Row) throws(RecipientIndexError) -> Void
    ) throws(RecipientIndexError) {
        try values.file().each(of: members, in: owner) { (row) throws(RecipientIndexError) in
            try places.pick(from: row, body)
        }
    }
}

/// The values of recipients' newest rows. The file with them is written when they are asked for first: most plans need
/// none.
final class NewestValues: Sendable {
    private let recipients: ListedRecipients
    /// A failure is kept, too. Whoever was told of it must not find rows later.
    private let written = Mutex(Result<ValueFile, RecipientIndexError>?.none)

    init(of recipients: ListedRecipients) { self.recipients = recipients }

    /// The columns whose values an owner's rows bring, in the order in which they are packed.
    func columns(of owner: RecipientIndex.Owner) -> [String] {
        recipients.recipientIndex.valued.first { $0.owner == owner }?.columns ?? []
    }

    func file() throws(RecipientIndexError) -> ValueFile {
        let result = written.withLock { written in
            if let written { return written }
            let new: Result<ValueFile, RecipientIndexError>
            do throws(RecipientIndexError) { new = .success(try write()) } catch { new = .failure(error) }
            written = new
            return new
        }
        return try result.get()
    }

    private func write() throws(RecipientIndexError) -> ValueFile {
        let index = recipients.recipientIndex
        var builder = ValueFile.Builder(index.valued, folder: index.temporaryFolder)
        var pass = try recipients.pass()
        while let recipient = try pass.next() {
            try pass.eachNewest { (owner, key, row) throws(RecipientIndexError) in
                try builder.add(recipient.id, key: key, row, of: owner)
            }
        }
        return try builder.finish()
    }
}
