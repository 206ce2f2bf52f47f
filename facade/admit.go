package facade

import (
	"context"
)

// admit is the third step: everything the call carries is judged before anything runs. All
// refusals are reported at once, those of params before those of query before those of the
// body; after that the keeper of the rows decodes and fills in what was judged.
func (x *execution) admit(ctx context.Context) error {
	if x.call.Each != nil {
		if err := x.admitEach(ctx); err != nil {
			return err
		}
	}
	if x.asksVersion() {
		var err error
		if x.versionScope, err = x.scopeOfVersion(ctx); err != nil {
			return err
		}
	}
	switch b := x.op.builtin; {
	case b != nil:
		if err := b.admit(x, ctx); err != nil {
			return err
		}
	default:
		x.admitNamed()
	}
	if x.sel == nil && x.op.reader != nil {
		x.choose(ctx)
	}
	if err := x.admitIf(ctx); err != nil {
		return err
	}
	if err := x.refusal(); err != nil {
		return err
	}
	x.renameQuery()
	return x.door.keeper.complete(ctx, x)
}
