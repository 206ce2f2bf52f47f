package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers"
)

// shelf are the trusted documents of one surface.
type shelf struct {
	mode   string
	byID   map[string]*trusted
	byText map[string]*trusted // without the white space around them
	told   told

	problems map[*trusted][]resolvers.Problem // why the others are not here
}

// The codes of documents that are named and not there, or there and not trusted.
const (
	codeNotFound   facade.Code = "DOCUMENT_NOT_FOUND"
	codeNotTrusted facade.Code = "DOCUMENT_NOT_TRUSTED"
	codeMismatch   facade.Code = "PERSISTED_QUERY_HASH_MISMATCH"
	codeForgotten  facade.Code = "PERSISTED_QUERY_NOT_FOUND"
	codeNoMemory   facade.Code = "PERSISTED_QUERY_NOT_SUPPORTED"
)

// What clients look for beside the last two codes: on either, they send the text.
const (
	forgotten = "PersistedQueryNotFound"
	noMemory  = "PersistedQueryNotSupported"
)

// of is a document by one of its ids: as it is, or as the bare hash that Apollo's
// clients send.
func (s *shelf) of(id string) *trusted {
	if s == nil {
		return nil
	}
	if t := s.byID[id]; t != nil {
		return t
	}
	return s.byID[sha256Prefix+id]
}

// text is a document by its text.
func (s *shelf) text(query string) *trusted {
	if s == nil {
		return nil
	}
	return s.byText[bare(query)]
}

func (s *shelf) enforces() bool { return s != nil && s.mode == DocumentsEnforce }

// document finds the document that a request means, by its text or by an id, and puts
// its text into query. remember is the hash to keep it by once it has been executed;
// "" keeps nothing.
func (h *graphQL) document(ctx context.Context, m *members) (query, remember string, refused *refusal) {
	switch {
	case m.documentID != "":
		t := h.shelf.of(m.documentID)
		if t == nil {
			return "", "", &refusal{
				status: http.StatusNotFound, code: codeNotFound,
				text: "no trusted document has this id; put it into the folder of graphql.documents and deploy that, or send the text as the member query where that is allowed",
			}
		}
		return t.text, "", nil
	case m.hash != "" && !m.hasQuery:
		return h.remembered(ctx, m)
	case m.hash != "":
		t := h.shelf.of(m.hash)
		if t == nil || bare(t.text) != bare(m.query) {
			if !hashes(m.hash, m.query) {
				return "", "", &refusal{
					status: http.StatusBadRequest, code: codeMismatch,
					text: "extensions.persistedQuery.sha256Hash is not the SHA-256 of query, in hexadecimal; send the one that is",
				}
			}
			remember = strings.ToLower(m.hash)
		}
	}
	query, refused = h.admit(ctx, m.query, m.operationName)
	return query, remember, refused
}

// remembered is the document of a hash that came without a query.
func (h *graphQL) remembered(ctx context.Context, m *members) (query, remember string, refused *refusal) {
	if t := h.shelf.of(m.hash); t != nil {
		return t.text, "", nil
	}
	if h.shelf.enforces() { // a client that was told NOT_FOUND would send the text in vain
		return "", "", untrusted()
	}
	if h.memory == nil {
		return "", "", &refusal{status: http.StatusBadRequest, code: codeNoMemory, text: noMemory, expected: true}
	}
	text, ok := h.memory.get(strings.ToLower(m.hash))
	if !ok {
		return "", "", &refusal{status: http.StatusBadRequest, code: codeForgotten, text: forgotten, expected: true}
	}
	query, refused = h.admit(ctx, text, m.operationName)
	return query, "", refused
}

// admit says what becomes of a document that came as text, now or earlier.
func (h *graphQL) admit(ctx context.Context, query, operation string) (string, *refusal) {
	if h.shelf == nil {
		return query, nil
	}
	if t := h.shelf.text(query); t != nil {
		return t.text, nil
	}
	switch h.shelf.mode {
	case DocumentsEnforce:
		return "", untrusted()
	case DocumentsLog:
		h.shelf.told.tell(ctx, h.Log, query, operation)
	}
	return query, nil
}

func untrusted() *refusal {
	return &refusal{
		status: http.StatusForbidden, code: codeNotTrusted,
		text: "this gateway answers trusted documents alone, and this is none; put it into the folder of graphql.documents and deploy that, or ask for one that is there by its documentId",
	}
}

func hashes(hash, query string) bool {
	sum := sha256.Sum256([]byte(query))
	return strings.EqualFold(hash, hex.EncodeToString(sum[:]))
}

// told remembers which documents the log was told of.
type told struct {
	mu     sync.Mutex
	hashes map[[sha256.Size]byte]bool
}

// maxTold is how many documents are told of: whoever makes up new ones all day
// does not fill the log, or the memory.
const maxTold = 1000

// tell logs a document that is not trusted, once. Its values are not logged: they may
// be anybody's.
func (t *told) tell(ctx context.Context, log *slog.Logger, query, operation string) {
	sum := sha256.Sum256([]byte(query))
	t.mu.Lock()
	if t.hashes == nil {
		t.hashes = map[[sha256.Size]byte]bool{}
	}
	n := len(t.hashes)
	seen := t.hashes[sum]
	if !seen && n < maxTold {
		t.hashes[sum] = true
	}
	t.mu.Unlock()
	if seen || n >= maxTold {
		return
	}
	log.LogAttrs(ctx, slog.LevelWarn, "a document that is not trusted was run", slog.String("documentId", sha256Prefix+hex.EncodeToString(sum[:])),
		slog.String("operationName", operation), slog.String("begins", head(query)), slog.Int("bytes", len(query)))
	if n+1 == maxTold {
		log.LogAttrs(ctx, slog.LevelWarn, "more documents that are not trusted will not be told of", slog.Int("told", maxTold))
	}
}

// head is how a document begins, up to where values may stand.
func head(query string) string {
	if i := strings.IndexAny(query, "({\"@#"); i >= 0 {
		query = query[:i]
	}
	return strings.TrimSpace(query[:min(len(query), 80)])
}
