package files

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// health remembers whether the storage works. Its zero value is a storage that does.
type health struct {
	mu      sync.Mutex
	failure error     // that the storage met last; nil since it works
	missed  time.Time // of the last line about missing bytes
	unsaid  int64     // files without bytes since then

	probing           sync.Mutex
	failures, missing atomic.Int64
}

// State describes the failures of the storage of files.
type State struct {
	Failing           bool
	Failures, Missing int64 // since the start
}

// State returns the state of the storage.
func (s *Files) State() State {
	s.health.mu.Lock()
	defer s.health.mu.Unlock()
	return State{s.health.failure != nil, s.health.failures.Load(), s.health.missing.Load()}
}

// failed is the error for a caller whose request the storage failed. A failure with another remedy than the one
// before is logged. An error with a code of its own, and the end of a request, are no failure.
func (s *Files) failed(ctx context.Context, err error) error {
	var own *kiterror.Error
	if errors.As(err, &own) {
		return own
	}
	if ctx.Err() == nil {
		s.note(err)
	}
	return kiterror.Errorf(kiterror.ServiceUnavailable, "the storage of files cannot be reached; send the request again").WithCause(err)
}

// note remembers a failure, and logs it where the one before had another remedy.
func (s *Files) note(err error) {
	s.health.failures.Add(1)
	s.health.mu.Lock()
	defer s.health.mu.Unlock()
	if check := whatToCheck(err); s.health.failure == nil || whatToCheck(s.health.failure) != check {
		s.log.Error("the storage of files fails", "store", s.place, "error", err, "check", check)
	}
	s.health.failure = err
}

// works forgets the last failure, and logs that the storage works again.
func (s *Files) works() {
	s.health.mu.Lock()
	defer s.health.mu.Unlock()
	if s.health.failure != nil {
		s.health.failure = nil
		s.log.Info("the storage of files works again", "store", s.place)
	}
}

// lost is the error for a reader of a file whose bytes are missing. It is logged once a minute.
func (s *Files) lost(file *facade.File) error {
	s.health.missing.Add(1)
	s.health.mu.Lock()
	defer s.health.mu.Unlock()
	if now := time.Now(); now.Sub(s.health.missed) >= time.Minute {
		s.log.Error("the bytes of a file are missing", "store", s.place, "file", file.ID, "name", file.Name, "field", file.In, "row", string(file.Row), "more", s.health.unsaid,
			"check", "restore the folder or bucket of files from a backup that was made after that of the rows; or send the file again")
		s.health.missed, s.health.unsaid = now, 0
	} else {
		s.health.unsaid++
	}
	return kiterror.Errorf(kiterror.Gone, "the bytes of this file are lost; send the file again")
}

// A probe writes probeSize bytes under an id that no file has.
const (
	probeSize = 1 << 20
	probeID   = "frond-probe"
	probeTime = 2 * time.Second
)

// Check returns why the storage does not take files, or nil. After a failure it writes a probe, so that the
// answer changes once the storage works again; while another probe runs, it is the failure. It may be called
// from many goroutines, and on nil.
func (s *Files) Check(ctx context.Context) error {
	if s == nil {
		return nil
	}
	if err := s.storage.There(); err != nil {
		s.note(err)
		return err
	}
	s.health.mu.Lock()
	failure := s.health.failure
	s.health.mu.Unlock()
	if failure == nil || !s.health.probing.TryLock() {
		return failure
	}
	defer s.health.probing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if err := s.storage.Write(ctx, probeID+"/"+original, "application/octet-stream", bytes.NewReader(make([]byte, probeSize))); err != nil {
		return err
	}
	if err := s.storage.Remove(ctx, probeID); err != nil {
		return err
	}
	s.works()
	return nil
}

// whatToCheck says where an operator looks first, as the value of a log attribute.
func whatToCheck(err error) string {
	failure := (*Failure)(nil)
	switch {
	case errors.As(err, &failure):
		return failure.Check
	case errors.Is(err, errNoFolder):
		return "mount or restore the folder; an empty one takes new files, and has lost the old ones"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "the free space of the disk that holds the folder"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "the permissions of the folder and its files"
	}
	return "the disk or the server that files.store names"
}
