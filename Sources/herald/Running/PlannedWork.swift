import FCM
import HeraldCore

/// What a run is about to do.
struct PlannedWork {
    let plan: Plan
    let document: PlanDocument
    let recipients: Recipients
    /// What the state is to know when it is over.
    let closing: [StateChange]

    /// Whom it is about.
    enum Recipients {
        case listed(Wanted)
        case named([RecipientID: Registration])
    }
}
