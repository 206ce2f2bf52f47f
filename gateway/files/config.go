package files

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/cron"
	"github.com/frondhost/frond/gateway/jobs"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
)

// Config is the settings of files.
type Config struct {
	// Store is file:///FOLDER, s3://BUCKET?region=…, mem://, or env:NAME for a variable that holds one; "" is a folder beside a store in a file,
	// and memory beside one in memory.
	Store string
	// Presign is how long the addresses of files at S3 are valid, for everybody; 0: GraphQL's url is the
	// path here, under the rights of the row, and uploads pass through here.
	Presign time.Duration
	// Retention is how long the bytes of a file stay once no row names it, so that a backup of the rows
	// may be followed by one of the bytes; 0 means 24 hours, less than 0 not at all.
	Retention time.Duration
}

// WithDefaults returns c with defaults in place of unset values.
func (c Config) WithDefaults() Config {
	c.Retention = cmp.Or(c.Retention, 24*time.Hour)
	return c
}

// Settings are the rows of files.
func (c *Config) Settings() []setting.Setting {
	return []setting.Setting{
		setting.New("files.store", "", "where files are stored (docs/files.md): file:///FOLDER, s3://BUCKET?region=…, mem://, or env:NAME for a variable that holds one; the default is a folder beside the SQLite file, or memory", readStore, &c.Store),
		setting.New("files.presign", "off", "how long a pre-signed address of S3 is valid, 5m say, which GraphQL answers as url in place of the path here, and which uploads may ask for (docs/files.md)", readPresign, &c.Presign).As(setting.OffOrDuration),
		setting.New("files.retention", "24h", "how long the bytes of a file stay once no row names it, for copies of the files that are made after those of the rows (docs/operations.md); 0 removes them at once", readRetention, &c.Retention),
	}
}

// readStore reads the setting files.store.
func readStore(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if name, isVariable := strings.CutPrefix(text, "env:"); isVariable && name != "" {
		return text, nil
	}
	return text, checkURL(text)
}

// StoreURL returns the URL of files.store. The setting may name a variable of the environment
// that holds it.
func StoreURL(text string) (string, error) {
	name, isVariable := strings.CutPrefix(text, "env:")
	if !isVariable {
		return text, nil
	}
	held := os.Getenv(name)
	if held == "" {
		return "", fmt.Errorf("files.store is env:%s, which is not set; set %s to the storage's URL", name, name)
	}
	if err := checkURL(held); err != nil {
		return "", fmt.Errorf("the variable %s does not hold the URL of a storage: %w", name, err)
	}
	return held, nil
}

// maxPresign is the longest time that an address is valid, as S3 has it.
const maxPresign = 7 * 24 * time.Hour

// readPresign reads the setting files.presign.
func readPresign(text string) (time.Duration, error) {
	if text == "" || text == "off" {
		return 0, nil
	}
	return setting.AtMost(text, maxPresign, "5m: the address is valid for that long, even without the row")
}

// readRetention reads the setting files.retention.
func readRetention(text string) (time.Duration, error) {
	return setting.AtMost(text, 366*24*time.Hour, "24h")
}

// Unsigned is the fault of a setting files.presign over a storage that has no addresses.
func Unsigned() error {
	return schema.Fault{
		File: setting.File, Pointer: "/files/presign", Message: "files.store is not S3, and has no addresses of its own",
		Remedy: "leave files.presign out, or write files: {store: s3://BUCKET?region=REGION}",
	}
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
