package kiterror

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/schema"
)

// Refused is the VALIDATION_FAILED of a call with these refusals: at least one, and of
// more than schema.MaxDetails the first.
func Refused(details []schema.Detail) *Error {
	if len(details) == 1 {
		return Invalid(Sentence(details[0]), details...)
	}
	n := min(len(details), schema.MaxDetails)
	return Invalid(fmt.Sprintf("%d things are refused, each with a detail; the first: %s", n, Sentence(details[0])), details[:n]...)
}

// Sentence is a detail as a sentence: its message completes the sentence that its path begins.
func Sentence(d schema.Detail) string {
	if d.Path == "." {
		return strings.TrimPrefix(d.Pointer, "/") + " " + d.Message
	}
	return d.Path + " " + d.Message
}

// UnknownKey is the refusal of a key that does not exist for the caller.
func UnknownKey(pointer, message string) schema.Detail {
	return schema.Detail{Path: Path(pointer), Pointer: pointer, Code: schema.UnknownKey, Message: message}
}

// Path is the dotted path of a pointer, without the part of the invocation that the
// pointer begins with: /body/address/street is address.street.
func Path(pointer string) string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	rest = strings.ReplaceAll(rest, "/", ".")
	return strings.ReplaceAll(strings.ReplaceAll(rest, "~1", "/"), "~0", "~")
}
