package graphqlerror

// The codes of errors in a request itself: the names that clients know from other servers.
// A failed call keeps the code of its [facade.Error].
const (
	CodeParse         = "GRAPHQL_PARSE_FAILED"         // the document is not GraphQL
	CodeValidation    = "GRAPHQL_VALIDATION_FAILED"    // a rule of specification 5
	CodeInput         = "BAD_USER_INPUT"               // a variable does not fit its type
	CodeOperation     = "OPERATION_RESOLUTION_FAILURE" // no such operation, or several and no name
	CodeIntrospection = "INTROSPECTION_DISABLED"       // __schema or __type where they are refused
)

// The codes of limits. Each comes with details {limit}.
const (
	CodeDocument  = "DOCUMENT_TOO_LARGE"
	CodeTokens    = "TOKEN_LIMIT_EXCEEDED"
	CodeDepth     = "DEPTH_LIMIT_EXCEEDED"
	CodeAliases   = "ALIAS_LIMIT_EXCEEDED"
	CodeRoots     = "ROOT_FIELD_LIMIT_EXCEEDED"
	CodeFields    = "FIELD_LIMIT_EXCEEDED"
	CodeExpanded  = "EXPANSION_LIMIT_EXCEEDED"
	CodeMerge     = "MERGE_LIMIT_EXCEEDED"
	CodeArguments = "ARGUMENT_LIMIT_EXCEEDED"
	CodeExecution = "EXECUTION_TIMEOUT"
	CodeResponse  = "RESPONSE_TOO_LARGE"
)
