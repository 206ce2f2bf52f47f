package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/store/sqlite"
)

// How far readers of facts are behind (feed): a thousand readers of one fact, each a goroutine,
// while a thousand events a second are committed to a file one by one; and what ten thousand
// readers of another fact cost meanwhile.
const (
	feedReaders = 1000
	feedIdle    = 10_000
	feedRate    = 1000
)

// benchFeed measures over a file of SQLite.
func benchFeed(rounds int, slice time.Duration) error {
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	file, err := sqlite.Open(ctx, sqlite.Options{Path: filepath.Join(dir, "feed.db"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	store := file.Abilities().Outbox
	feed := facts.New(store, nil)
	defer feed.Close()

	before, goroutines := heap(), runtime.NumGoroutine()
	idle := make([]*facts.Reader, feedIdle)
	var woken atomic.Int64
	for i := range idle {
		if idle[i], err = feed.Subscribe(ctx, []string{"shop.rare"}, facts.Now); err != nil {
			return err
		}
		idle[i].Notify(func() { woken.Add(1) })
		if _, _, err := idle[i].Poll(ctx); err != nil {
			return err
		}
	}
	fmt.Printf("\nfacts: %d idle readers hold %d bytes and %d goroutines each\n", feedIdle, (heap()-before)/feedIdle, (runtime.NumGoroutine()-goroutines)/feedIdle)

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var readers sync.WaitGroup
	lags := make([][]time.Duration, feedReaders)
	for i := range feedReaders {
		r, err := feed.Subscribe(ctx, []string{"shop.placed"}, facts.Now)
		if err != nil {
			return err
		}
		readers.Go(func() {
			for {
				events, _, err := r.Next(ctx)
				if err != nil {
					return
				}
				now := time.Now()
				for _, e := range events {
					lags[i] = append(lags[i], now.Sub(e.At))
				}
			}
		})
	}
	took := time.Duration(max(rounds, 1)) * max(slice, time.Second)
	sent, late := emitEvenly(ctx, store, took)
	time.Sleep(2 * time.Second)
	stop()
	readers.Wait()
	runtime.KeepAlive(idle)

	if n := woken.Load(); n > 0 {
		return fmt.Errorf("%d readers were woken by another fact", n)
	}
	all := slices.Concat(lags...)
	if len(all) != sent*feedReaders {
		return fmt.Errorf("%d events were read, and %d were sent to %d readers", len(all), sent, feedReaders)
	}
	slices.Sort(all)
	at := func(q float64) time.Duration { return all[int(q*float64(len(all)-1))].Round(10 * time.Microsecond) }
	fmt.Printf("facts: %d readers of one fact, %.0f events/s for %s (the writer was %s late): lag p50 %s  p99 %s  max %s\n",
		feedReaders, float64(sent)/took.Seconds(), took, late.Round(time.Millisecond), at(.5), at(.99), at(1))
	return nil
}

// emitEvenly commits events, feedRate of them a second, each durably and by itself.
func emitEvenly(ctx context.Context, store facade.Outbox, took time.Duration) (sent int, late time.Duration) {
	var writers sync.WaitGroup
	began := time.Now()
	for ; time.Since(began) < took; sent++ {
		due := began.Add(time.Duration(sent) * time.Second / feedRate)
		time.Sleep(time.Until(due))
		late = max(late, time.Since(due))
		id := fmt.Sprint(sent)
		writers.Go(func() { // commits that come together share a sync
			e := facade.Event{ID: id, Frond: "shop", Name: "placed", Entity: "order", Key: []byte(`"` + id + `"`), At: time.Now(), Data: []byte(`{"id":"` + id + `","total":1750}`)}
			if err := store.Emit(ctx, []facade.Event{e}); err != nil {
				panic(err)
			}
		})
	}
	writers.Wait()
	return sent, late
}

// heap is how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
