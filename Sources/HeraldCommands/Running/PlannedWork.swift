import FCM
import HeraldCore

/// What a run is about to do.
struct PlannedWork {
    let course: RunCourse
    let document: PlanDocument
    let recipients: Recipients

    var plan: Plan { course.plan }

    /// The recipients it is about.
    enum Recipients {
        case listed(Wanted)
        /// With the values that fill a personal message.
        case named([RecipientID: Registration], values: [RecipientID: FieldValues])
    }
}
