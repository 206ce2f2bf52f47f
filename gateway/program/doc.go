// Package program is what programs that run a gateway share: command frond, and the
// programs of Go authors that call frond.Main. It reads settings from flags, variables and
// files, turns signals into the end of a context, and an error into an exit code.
//
//	s := program.NewSettings()
//	for _, f := range s.Flags() {
//		… // hand them to a flag library
//	}
//	os.Exit(program.Run("blog", os.Stderr, func(ctx context.Context) error {
//		project, config, err := s.Load(".", os.Environ(), os.Stderr, read)
//		…
//		return program.Serve(ctx, gw)
//	}))
//
// It knows no flag library, no command and no surface.
package program
