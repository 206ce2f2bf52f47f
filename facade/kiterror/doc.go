// Package kiterror is the one type that every failure of a call leaves by: the KitError
// of the wire (spec 7), the table of its codes with their HTTP statuses, and the JSON
// form that all surfaces write.
//
//	err := kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", "order")
//	kiterror.AsError(err).At("order", "findById") // names the operation
//	kiterror.CodeOf(err)                           // NOT_FOUND, of any error
//	err.AppendJSON(nil)                            // {"code":"NOT_FOUND","message":…}
//
// An error without a code becomes INTERNAL_ERROR: its text is the cause, which [Report] logs
// and no surface sends. The CONFLICTs that a store alone can know are made by [Taken],
// [Dangling] and [InUse].
//
// The package knows no calls, no stores and no network; [Error.Challenge] and
// [Error.RetryAfter] are texts of headers that a surface may write.
package kiterror
