import FCM
import HeraldCore

/// What a run is about to do.
struct PlannedWork {
    let proposal: Proposal
    let document: PlanDocument
    let recipients: Recipients
    /// Changes to the state for the end of the run.
    let closing: [StateChange]

    var plan: Plan { proposal.plan }

    /// The recipients it is about.
    enum Recipients {
        case listed(Wanted)
        /// With the values that fill a personal message.
        case named([RecipientID: Registration], values: [RecipientID: FieldValues])
    }
}
