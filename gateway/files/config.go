package files

import (
	"time"

	"github.com/frondhost/frond/facade/cron"
	"github.com/frondhost/frond/gateway/jobs"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
)

// Config is the settings of files.
type Config struct {
	// Store is file:///FOLDER, s3://BUCKET?region=… or mem://; "" is a folder beside a store in a file,
	// and memory beside one in memory.
	Store string
}

// Settings are the rows of files.
func (c *Config) Settings() []setting.Setting {
	return []setting.Setting{
		setting.New("files.store", "", "where files are stored (docs/files.md): file:///FOLDER, s3://BUCKET?region=… or mem://; the default is a folder beside the SQLite file, or memory", readStore, &c.Store),
	}
}

// readStore reads the setting files.store.
func readStore(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	return text, checkURL(text)
}

// Missing is the fault of a project with files and without a place for them.
func Missing(store string) error {
	return schema.Fault{
		File: setting.File, Pointer: "/files/store", Message: "frond.yaml has files, and " + store + " has no place for them",
		Remedy: "write files: {store: file:///var/lib/shop/files}, or s3://BUCKET?region=REGION",
	}
}

// sweeps are the times at which files that no row has are removed.
var sweeps, _ = cron.Parse("*/10 * * * *", time.UTC)

// Job removes files that no row has.
func (s *Files) Job() *jobs.Job {
	return &jobs.Job{Name: "frond.files", Schedule: sweeps, Run: s.sweep}
}
