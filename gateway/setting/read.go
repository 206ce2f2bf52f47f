package setting

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/schema/jsontext"
)

// The readers turn the text of one setting into its value. Their errors say what to
// write instead and do not repeat the text, which may be a secret.

// Text reads any text.
func Text(text string) (string, error) { return text, nil }

// Bool reads true or on, false or off.
func Bool(text string) (bool, error) {
	switch text {
	case "true", "on":
		return true, nil
	case "false", "off":
		return false, nil
	}
	return false, errors.New("write true or false")
}

// Not reads a switch that Go code knows by its opposite: compression by NoCompression.
func Not(text string) (bool, error) {
	v, err := Bool(text)
	return !v && err == nil, err
}

// Optional reads a value behind a pointer: nil is an unset one.
func Optional[T any](read func(string) (T, error)) func(string) (*T, error) {
	return func(text string) (*T, error) {
		v, err := read(text)
		return &v, err
	}
}

// oneOf reads one of two or more words.
func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if slices.Contains(words, text) {
			return text, nil
		}
		last := len(words) - 1
		return "", errors.New("write " + strings.Join(words[:last], ", ") + " or " + words[last])
	}
}

// Count reads a whole number of at least 1.
func Count(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return 0, errors.New("write a whole number of at least 1")
	}
	return int(n), nil
}

// Size reads a number of bytes of at least 1, with KiB or MiB behind it or not.
func Size(text string) (int64, error) {
	number, unit := strings.TrimSpace(text), int64(1)
	for suffix, size := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20} {
		if cut, ok := strings.CutSuffix(number, suffix); ok {
			number, unit = strings.TrimSpace(cut), size
		}
	}
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || n < 1 {
		return 0, errors.New("write a number of bytes, such as 1048576, 512KiB or 1MiB")
	}
	return n * unit, nil
}

// Bytes is [Size] as an int.
func Bytes(text string) (int, error) {
	n, err := Size(text)
	return int(n), err
}

// Duration reads a duration as Go writes them, 0 included.
func Duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errors.New("write a duration such as 500ms, 15s or 1m")
	}
	return d, nil
}

// TextOf is a value of a file as readers take it: a string without its quotes, anything else
// as its JSON text.
func TextOf(value json.RawMessage) string {
	if jsontext.KindOf(value) == jsontext.String {
		return jsontext.Unquote(value)
	}
	return string(jsontext.Trim(value))
}

// List reads a list of words: JSON, or comma-separated.
func List(text string) ([]string, error) { return list(text, false) }

// Items reads a list whose elements are words or objects; an object stays JSON text. One
// object by itself, as a variable may hold, is a list of one.
func Items(text string) ([]string, error) {
	if jsontext.KindOf([]byte(text)) == jsontext.Object {
		text = "[" + text + "]"
	}
	return list(text, true)
}

// list reads a list. Without JSON, braces are refused unless objects are allowed: the text is a
// map where a list belongs.
func list(text string, objects bool) ([]string, error) {
	help := errors.New("write a list of words, such as [one, two]")
	var items []string
	if doc := []byte(text); jsontext.Check(doc) == nil && jsontext.KindOf(doc) == jsontext.Array {
		for _, item := range jsontext.Elements(doc) {
			switch kind := jsontext.KindOf(item); {
			case kind == jsontext.String:
				items = append(items, jsontext.Unquote(jsontext.Trim(item)))
			case kind == jsontext.Object && objects:
				items = append(items, string(jsontext.Trim(item)))
			default:
				return nil, help
			}
		}
	} else {
		text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "["), "]")
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" || strings.Contains(text, ",") {
				items = append(items, item)
			}
		}
	}
	if slices.Contains(items, "") || !objects && strings.ContainsAny(text, "{}") {
		return nil, help
	}
	return items, nil
}

// AtMost reads a duration for which 0 means the default: 0s is -1. The error of one above most
// names the remedy.
func AtMost(text string, most time.Duration, such string) (time.Duration, error) {
	d, err := Duration(text)
	switch {
	case err == nil && d > most:
		return 0, fmt.Errorf("write at most %s, such as %s", most, such)
	case err == nil && d == 0:
		return -1, nil
	}
	return d, err
}

// Keys reads files and public JWKs. Its error does not repeat the text, which may hold a
// private key.
func Keys(text, such string) ([]string, error) {
	items, err := Items(text)
	if err != nil {
		return nil, errors.New("write a list of files, such as " + such + "; a public JWK may be an element as a map")
	}
	return items, nil
}

// File is the name of the settings' file in a project's folder.
const File = "gateway.yaml"

// Below is the path of a file that a setting names: it begins in dir, the project's
// folder, unless it is absolute.
func Below(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Reason is why a file operation failed, without the file's name: a fault has it already.
func Reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Address reads an address to listen on: host:port.
func Address(text string) (string, error) {
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", errors.New("write host:port such as 127.0.0.1:8080; port 0 takes any free one")
	}
	return text, nil
}

// Loopback reports whether only this machine reaches an address, with a port or without.
// localhost is the only such name.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
