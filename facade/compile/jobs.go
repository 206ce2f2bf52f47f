package compile

import (
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // zones of schedules, also where the machine has none

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/cron"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/format"
)

// compileJobs compiles the commands of a Frond that run at times. Those of a remote Frond run at its
// host.
func compileJobs(r *report, m *model, src *project.Frond, c project.Config) {
	if src.Remote != "" {
		return
	}
	frond := m.frond(src.Name)
	for _, s := range c.Schedule {
		file := src.Config.File
		op := scheduled(r, m, src, s)
		zone, ok := format.ParseZone(s.Zone)
		if !ok {
			r.fault(file, s.At+"/zone", fmt.Sprintf("%q is no time zone", s.Zone), "write a name such as Europe/Paris, or leave it out for UTC")
			zone = time.UTC
		}
		schedule, err := cron.Parse(s.Cron, zone)
		if err != nil {
			problem, remedy, _ := strings.Cut(err.Error(), "; ")
			r.fault(file, s.At+"/cron", problem, remedy)
		}
		if op == nil || err != nil {
			continue
		}
		if slices.ContainsFunc(frond.Jobs, func(j *catalog.Job) bool { return j.Operation == op }) {
			r.fault(file, s.At, fmt.Sprintf("%s.%s is scheduled twice", op.Door.Name, op.Name), "write it once, with a line that has both times: 0 3,15 * * *")
			continue
		}
		frond.Jobs = append(frond.Jobs, &catalog.Job{Operation: op, Schedule: schedule, State: s.State, At: s.At})
	}
}

// scheduled is the command that an entry of schedule names; nil with a fault if it cannot run
// without input.
func scheduled(r *report, m *model, src *project.Frond, s project.Scheduled) *catalog.Operation {
	file := src.Config.File
	entity, name, isPlace := strings.Cut(s.Name, ".")
	if !isPlace {
		r.fault(file, s.At, fmt.Sprintf("%q names no operation", s.Name), "write DOOR.OPERATION: order.closeStale")
		return nil
	}
	door := m.doorOf(r, src, entity, s.At, "a schedule")
	if door == nil {
		return nil
	}
	op := door.Operation(name)
	switch {
	case op == nil:
		r.fault(file, s.At, fmt.Sprintf("%s has no operation %s", door.Name, name), "declare it under operations, or name one of "+strings.Join(door.OperationNames(), ", "))
		return nil
	case op.Kind != catalog.Command:
		r.fault(file, s.At, fmt.Sprintf("%s.%s is a query, and a schedule runs commands", door.Name, name), "write kind: command if it changes anything, or leave it out of schedule")
		return nil
	}
	if needs := requiredOf(op); needs != "" {
		r.fault(file, s.At, fmt.Sprintf("%s.%s needs %s, and a schedule sends no input", door.Name, name, needs), "schedule a command of your own that needs none, and have it call this one")
		return nil
	}
	return op
}

// requiredOf names a part of the input that an operation cannot do without, or "".
func requiredOf(op *catalog.Operation) string {
	if op.Builtin && op.Name != "create" {
		return "input"
	}
	for i, card := range []*schema.Entity{op.Params, op.Query, op.Input} {
		if card == nil {
			continue
		}
		for _, p := range card.Fields {
			if p.Required() {
				return project.PartNames[i] + "." + p.Name
			}
		}
	}
	return ""
}
