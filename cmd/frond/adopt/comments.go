package adopt

import "strings"

// plainComment returns a comment without the lines that PostGraphile reads, such as @omit create,update, and
// those lines.
func plainComment(comment string) (text string, tags []string) {
	rest := comment
	for strings.HasPrefix(rest, "@") && len(rest) > 1 && rest[1] >= 'a' && rest[1] <= 'z' {
		line, after, _ := strings.Cut(rest, "\n")
		tags, rest = append(tags, strings.TrimSpace(line)), after
	}
	return rest, tags
}

// tagsOf returns the lines of a comment that PostGraphile reads.
func tagsOf(comment string) []string {
	_, tags := plainComment(comment)
	return tags
}

// omitted lists the operations that tags omit: create, read, update, delete, or all of them for @omit
// alone.
func omitted(tags []string) []string {
	var all []string
	for _, tag := range tags {
		if word, list, _ := strings.Cut(tag, " "); word == "@omit" {
			if list = strings.TrimSpace(list); list == "" {
				return []string{"create", "read", "update", "delete"}
			}
			for op := range strings.SplitSeq(list, ",") {
				all = append(all, strings.TrimSpace(op))
			}
		}
	}
	return all
}
