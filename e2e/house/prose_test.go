package house_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// hardForms are forms of sentences that make a reader go back to the beginning: a clause
// in place of a name, a verb behind its object, a negated noun, an archaic word.
var hardForms = regexp.MustCompile(`\b(?:[Ww]hat (?:is|are|was|were|has|have|had|may|can|cannot|could|does|did|would|will|comes|stands|follows|makes|the|a|an|it|its|they|he|this)|[Ww]hoever|[Ww]ho (?:is|has|may|reads|calls|asks|comes|waits|sends|cannot|can)|stands?|stood|standing|anew|[Ll]ikewise|meanwhile|whatever|to be had)\b`)

var message = regexp.MustCompile(`"((?:[^"\\]|\\.){12,})"`)

// The forms below put a pronoun or a clause in the place of a noun.
var (
	thoseOf  = regexp.MustCompile(`\b(?:is|are|was|were|has|have|had) (?:those|that|the ones?) (?:of|that|which|in)\b|\b(?:that|those) of\b`)
	whereIt  = regexp.MustCompile(`\b[Ww]here (?:it|there|one|that|they|nothing|nobody|none|no)\b`)
	thatIsEd = regexp.MustCompile(`\b(?:that|which) (?:is|are|was|were|has been|have been) \w+(?:ed|en|t|nt)\b`)
	negated  = regexp.MustCompile(`\b(?:[Nn]obody|[Nn]othing|[Nn]one)\b`)
)

// errorText is the text of an error where it is made.
var errorText = regexp.MustCompile(`(?:errors\.New|Errorf|kiterror\.\w+)\([^"]*"((?:[^"\\]|\\.){12,})"`)

func sizesOfProse(t *testing.T) map[string]measured {
	var words int
	type forms struct{ lines, forms int }
	var comments, messages, documents, those, where, passive, no forms
	var errors, errorWords, longErrors int
	for _, name := range tracked(t) {
		isGo := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && isProduct(path.Dir(name)) && !strings.HasPrefix(name, ".")
		if !isGo && !strings.HasSuffix(name, ".md") || strings.Contains(name, "testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		if isGo {
			for _, m := range errorText.FindAllStringSubmatch(string(text), -1) {
				if n := len(strings.Fields(m[1])); n > 1 {
					errors++
					errorWords += n
					if n > 14 {
						longErrors++
					}
				}
			}
		}
		fence := false
		for l := range strings.Lines(string(text)) {
			l = strings.TrimSpace(l)
			hard := len(hardForms.FindAllString(l, -1))
			switch {
			case !isGo:
				words += len(strings.Fields(l))
				if strings.HasPrefix(l, "```") {
					fence = !fence
				} else if !fence && l != "" {
					documents.lines++
					documents.forms += hard
				}
			case strings.HasPrefix(l, "//go:"):
			case strings.HasPrefix(l, "//"):
				comments.lines++
				comments.forms += hard
				for form, of := range map[*regexp.Regexp]*forms{thoseOf: &those, whereIt: &where, thatIsEd: &passive, negated: &no} {
					of.lines++
					of.forms += len(form.FindAllString(l, -1))
				}
			default:
				for _, m := range message.FindAllString(l, -1) {
					if strings.Contains(m, " ") {
						messages.lines++
						messages.forms += len(hardForms.FindAllString(m, -1))
					}
				}
			}
		}
	}
	of := func(n forms) measured {
		return measured{float64(1000*n.forms) / float64(max(1, n.lines)), fmt.Sprintf("%d in %d", n.forms, n.lines)}
	}
	return map[string]measured{
		"words of Markdown": {float64(words), ""},
		"hard sentence forms in 1,000 lines of comments":      of(comments),
		"hard sentence forms in 1,000 messages":               of(messages),
		"hard sentence forms in 1,000 lines of Markdown":      of(documents),
		"that of, those of: in 1,000 lines of comments":       of(those),
		"where it, where nothing: in 1,000 lines of comments": of(where),
		"that is …ed: in 1,000 lines of comments":             of(passive),
		"nobody, nothing, none: in 1,000 lines of comments":   of(no),
		"words of a message of an error":                      {float64(errorWords) / float64(max(1, errors)), fmt.Sprint(errors, " messages")},
		"messages of errors over 14 words, percent":           {float64(100*longErrors) / float64(max(1, errors)), ""},
	}
}
