package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/gateway"
)

// newBackup is frond backup. It reads settings only, no cards, so that a project with faults
// can be backed up. FILE is relative to the working directory, the store to --dir. With --json
// stdout is {"file": …, "bytes": …}, and with --files has {"files": {"folder", "copied", "bytes"}}. The rows are
// saved first. Without FILE, whose store has other tools, the files alone are.
func newBackup(s *shell) *cobra.Command {
	cmd := newCommand("backup", 0, 1, "the file to write")
	folder := cmd.Flags().String("files", "", "copy the bytes of files into this folder, those that it lacks")
	settings := addProject(s, cmd, "store") // where the store is
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		config, err := settings.read()
		if err != nil {
			return err
		}
		if len(args) == 0 && *folder == "" {
			return errors.New("frond backup has no file; write frond backup FILE, and --files FOLDER for files")
		}
		saved, text := map[string]any{}, ""
		if len(args) > 0 {
			size, err := gateway.Backup(cmd.Context(), config, args[0])
			if err != nil {
				return err
			}
			saved["file"], saved["bytes"] = args[0], size
			text = fmt.Sprintf("%s holds the whole store, %d bytes", args[0], size)
		}
		if *folder != "" {
			copied, size, err := gateway.BackupFiles(cmd.Context(), config, *folder)
			if err != nil {
				return err
			}
			saved["files"] = map[string]any{"folder": *folder, "copied": copied, "bytes": size}
			text = strings.TrimPrefix(fmt.Sprintf("%s\n%s holds all files; %d are new, %d bytes", text, *folder, copied, size), "\n")
		}
		return s.say(saved, text)
	}
	return cmd
}

// newRestore is frond restore. Like backup it reads no cards. The store that was there is
// renamed, never removed. With --json stdout is {"file": …, "kept": …}; kept is empty where
// there was no store.
func newRestore(s *shell) *cobra.Command {
	cmd := newCommand("restore", 1, 1, "a backup")
	replace := cmd.Flags().Bool("replace", false, "replace an existing store; it is kept under another name")
	settings := addProject(s, cmd, "store")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		config, err := settings.read()
		if err != nil {
			return err
		}
		kept, err := gateway.Restore(cmd.Context(), config, args[0], *replace)
		if err != nil {
			return err
		}
		text := args[0] + " is the store now"
		if kept != "" {
			text += "; the one before it is " + kept
		}
		return s.say(map[string]any{"file": args[0], "kept": kept}, text)
	}
	return cmd
}
