package graphqlhttp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers"
)

// Trusted is the trusted documents that one surface can execute. A nil one trusts every
// document.
type Trusted struct {
	mode   string
	byID   map[string]*document
	byText map[string]*document // without the white space around them
	logged untrustedLog

	problems map[*document][]resolvers.Problem // of the documents that the surface cannot execute
}

// The codes of requests whose document is unknown or not trusted.
const (
	codeNotFound   kiterror.Code = "DOCUMENT_NOT_FOUND"
	codeNotTrusted kiterror.Code = "DOCUMENT_NOT_TRUSTED"
	codeMismatch   kiterror.Code = "PERSISTED_QUERY_HASH_MISMATCH"
	codeForgotten  kiterror.Code = "PERSISTED_QUERY_NOT_FOUND"
	codeNoMemory   kiterror.Code = "PERSISTED_QUERY_NOT_SUPPORTED"
)

// The messages that clients expect with the last two codes: on either, they send the text.
const (
	forgotten = "PersistedQueryNotFound"
	noMemory  = "PersistedQueryNotSupported"
)

// byIDOrHash is a document by one of its ids, or by the bare hash that Apollo's clients send,
// or nil.
func (s *Trusted) byIDOrHash(id string) *document {
	if s == nil {
		return nil
	}
	if t := s.byID[id]; t != nil {
		return t
	}
	return s.byID[sha256Prefix+id]
}

// withText is a document by its text, or nil.
func (s *Trusted) withText(query string) *document {
	if s == nil {
		return nil
	}
	return s.byText[bare(query)]
}

// enforces reports whether untrusted documents are refused.
func (s *Trusted) enforces() bool { return s != nil && s.mode == DocumentsEnforce }

// document finds the document that a request names, by its text or by an id. query is its text;
// remember is the hash to keep it by once it has been executed, or "".
//
//	documentId        a trusted document, or 404 DOCUMENT_NOT_FOUND, in every mode
//	hash alone        a trusted document, or a remembered one (remembered)
//	hash and query    the query, remembered by the hash once it has been executed
//	query             the query, if the mode lets it run (admit)
func (h *Handler) document(ctx context.Context, m *members) (query, remember string, refused *refusal) {
	switch {
	case m.documentID != "":
		t := h.trusted.byIDOrHash(m.documentID)
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
		t := h.trusted.byIDOrHash(m.hash)
		// Builds hash a text with or without the line end that the file has. A hash that names
		// a trusted document with this text holds, whichever of the two it is of.
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

// remembered finds the document of a hash that came without a query.
//
//	a trusted document has the hash   its text
//	untrusted documents are refused   403 DOCUMENT_NOT_TRUSTED
//	texts are not kept here           PERSISTED_QUERY_NOT_SUPPORTED: the client sends the text from now on
//	it is not kept, or not any more   PERSISTED_QUERY_NOT_FOUND: the client sends both
func (h *Handler) remembered(ctx context.Context, m *members) (query, remember string, refused *refusal) {
	if t := h.trusted.byIDOrHash(m.hash); t != nil {
		return t.text, "", nil
	}
	if h.trusted.enforces() { // on NOT_FOUND the client would send the text, which is refused too
		return "", "", untrusted()
	}
	if h.persisted == nil {
		return "", "", &refusal{status: http.StatusBadRequest, code: codeNoMemory, text: noMemory, expected: true}
	}
	text, ok := h.persisted.get(strings.ToLower(m.hash))
	if !ok {
		return "", "", &refusal{status: http.StatusBadRequest, code: codeForgotten, text: forgotten, expected: true}
	}
	// A kept text passes the mode as a sent one does: log counts it as well.
	query, refused = h.admit(ctx, text, m.operationName)
	return query, "", refused
}

// admit handles a document that came as text, now or earlier, as the mode says. The text of a
// trusted document is returned in place of an equal one, so that the engine finds the plan it
// keeps.
func (h *Handler) admit(ctx context.Context, query, operation string) (string, *refusal) {
	if h.trusted == nil {
		return query, nil
	}
	if t := h.trusted.withText(query); t != nil {
		return t.text, nil
	}
	switch h.trusted.mode {
	case DocumentsEnforce:
		return "", untrusted()
	case DocumentsLog:
		h.trusted.logged.add(ctx, h.Log, query, operation)
	}
	return query, nil
}

// untrusted is the refusal of an untrusted document: by its text, or by a hash whose text would
// be refused too.
func untrusted() *refusal {
	return &refusal{
		status: http.StatusForbidden, code: codeNotTrusted,
		text: "this gateway answers trusted documents alone, and this is none; put it into the folder of graphql.documents and deploy that, or ask for one that is there by its documentId",
	}
}

// hashes reports whether a hash is the query's. Clients write it in either case.
func hashes(hash, query string) bool {
	sum := sha256.Sum256([]byte(query))
	return strings.EqualFold(hash, hex.EncodeToString(sum[:]))
}

// untrustedLog logs each untrusted document once.
type untrustedLog struct {
	mu     sync.Mutex
	hashes map[[sha256.Size]byte]bool
}

// maxUntrusted is how many documents are logged: a caller who makes up new ones must not
// fill the log, or the memory.
const maxUntrusted = 1000

// add logs a document, unless it was logged before. Its values are left out, since they may be
// personal data. The line is written outside the lock. The last line of all says that there
// will be no more.
func (l *untrustedLog) add(ctx context.Context, log *slog.Logger, query, operation string) {
	sum := sha256.Sum256([]byte(query))
	l.mu.Lock()
	if l.hashes == nil {
		l.hashes = map[[sha256.Size]byte]bool{}
	}
	n := len(l.hashes)
	seen := l.hashes[sum]
	if !seen && n < maxUntrusted {
		l.hashes[sum] = true
	}
	l.mu.Unlock()
	if seen || n >= maxUntrusted {
		return
	}
	log.LogAttrs(ctx, slog.LevelWarn, "a document that is not trusted was run", slog.String("documentId", sha256Prefix+hex.EncodeToString(sum[:])),
		slog.String("operationName", operation), slog.String("begins", head(query)), slog.Int("bytes", len(query)))
	if n+1 == maxUntrusted {
		log.LogAttrs(ctx, slog.LevelWarn, "further documents that are not trusted are not logged", slog.Int("logged", maxUntrusted))
	}
}

// head is the beginning of a document, up to the first place for values. "query Orders($id: ID!)
// {…}" is "query Orders": variables, selections, strings, directives and comments are cut off.
// At most 80 bytes.
func head(query string) string {
	if i := strings.IndexAny(query, "({\"@#"); i >= 0 {
		query = query[:i]
	}
	return strings.TrimSpace(query[:min(len(query), 80)])
}
