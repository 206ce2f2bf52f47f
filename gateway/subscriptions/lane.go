package subscriptions

import (
	"context"
	"runtime"
	"sync"

	"github.com/frondhost/frond/facade/readset"
)

// Bounds of the executions of live queries. laneWidth batches run at once, and as many reads of the
// store as there are processors: more of them would only keep other requests waiting.
const (
	laneWidth = 24
	laneBatch = 100
)

// lane executes live queries. They wait for one another and are never refused, and they take no
// place among the executions of requests (limits.executions). Those of one document that wait
// at the same time are a batch, and share statements ([readset.Batch]).
type lane struct {
	statements chan struct{}

	mu      sync.Mutex
	running int
	queue   []*batch
	open    map[any]*batch // by document, the batch in the queue that has room
}

// batch is executions that begin together.
type batch struct {
	document any
	jobs     []*job
}

// job is one execution.
type job struct {
	ctx      context.Context //nolint:containedctx // of the caller, who waits
	run      func(context.Context)
	done     chan struct{}
	panicked any
}

func newLane() *lane {
	return &lane{statements: make(chan struct{}, max(2, runtime.GOMAXPROCS(0))), open: map[any]*batch{}}
}

// do waits for its turn, runs run, and returns when it has ended. document is the
// subscription's [resolvers.Subscription.Document].
func (l *lane) do(ctx context.Context, document any, run func(context.Context)) {
	j := &job{ctx: ctx, run: run, done: make(chan struct{})}
	l.mu.Lock()
	b := l.open[document]
	if b == nil || len(b.jobs) == laneBatch {
		b = &batch{document: document}
		l.queue = append(l.queue, b)
		if document != nil {
			l.open[document] = b
		}
	}
	b.jobs = append(b.jobs, j)
	if l.running < laneWidth {
		l.running++
		go l.work()
	}
	l.mu.Unlock()
	<-j.done
	if j.panicked != nil {
		panic(j.panicked)
	}
}

// work runs batches until the queue is empty.
func (l *lane) work() {
	for {
		l.mu.Lock()
		if len(l.queue) == 0 {
			l.running--
			l.mu.Unlock()
			return
		}
		b := l.queue[0]
		l.queue = l.queue[1:]
		if l.open[b.document] == b {
			delete(l.open, b.document)
		}
		l.mu.Unlock()
		together := readset.NewBatch(len(b.jobs), l.statements)
		var all sync.WaitGroup
		for _, j := range b.jobs {
			all.Go(func() { j.work(together) })
		}
		all.Wait()
	}
}

// work runs the job beside the others of its batch.
func (j *job) work(together *readset.Batch) {
	defer close(j.done)
	defer func() { j.panicked = recover() }()
	together.Run(j.ctx, j.run)
}
