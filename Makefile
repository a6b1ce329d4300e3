# Countersign. `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

BUILD    := .build
NPM_CI   := npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
TOOLS    := $(BUILD)/test-tools
BINARY   := $(BUILD)/countersign
ASSETS   := static/lib/htmx.min.js static/lib/hx-sse.min.js
GOFILES   = $(shell git ls-files -co --exclude-standard '*.go')
# Debian packages are installed by root, or through sudo where there is one.
SUDO      = $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-10s %s\n", $$1, $$2}'

.PHONY: run
run: build ## Install, build and run the demo on http://127.0.0.1:8080
	$(BINARY) serve --demo

.PHONY: build
build: $(ASSETS) ## Build the one binary into .build/
	go build -o $(BINARY) ./cmd/countersign

.PHONY: assets
assets: $(ASSETS) ## Install the third-party browser code that the lock file names

# npm ci checks every file against the integrity hashes of the lock file.
# Scripts of packages are not run. Both files come from one recipe, so the
# second only waits for the first.
static/lib/htmx.min.js: static/package.json static/package-lock.json
	mkdir -p $(BUILD)/assets
	cp static/package.json static/package-lock.json $(BUILD)/assets/
	cd $(BUILD)/assets && $(NPM_CI)
	cp $(BUILD)/assets/node_modules/htmx.org/dist/ext/hx-sse.min.js static/lib/
	cp $(BUILD)/assets/node_modules/htmx.org/dist/htmx.min.js static/lib/
static/lib/hx-sse.min.js: static/lib/htmx.min.js ;

.PHONY: generate
generate: ## Write the *_templ.go files anew
	go tool templ generate -path views

.PHONY: check
check: lint ## The fast loop: format, vet, staticcheck, generated files, unit tests with -race
	go test -race -short $$(go list ./... | grep -v /cmd/)

.PHONY: lint
lint: $(ASSETS) $(TOOLS)/installed ## Format, vet, staticcheck, the OpenAPI document and fresh generated files
	@unformatted=$$(gofmt -l $(GOFILES)); [ -z "$$unformatted" ] || { echo "gofmt these:"; echo "$$unformatted"; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true $(TOOLS)/node_modules/.bin/redocly lint --extends recommended-strict web/api/openapi.yaml
	@before=$$(cat views/*_templ.go | sha256sum); go tool templ generate -path views >/dev/null 2>&1; \
	after=$$(cat views/*_templ.go | sha256sum); \
	[ "$$before" = "$$after" ] || { echo "generated files were stale; they are fresh now, commit them"; exit 1; }

.PHONY: test
test: test-tools lint ## Install what the tests need and run every test
	CI=true COUNTERSIGN_REQUIRE_STRACE=1 go tool gotestsum --format standard-quiet --jsonfile $(BUILD)/test.json -- -count=1 ./... && passed=0 || passed=$$?; \
	echo "The ten slowest tests:"; go tool gotestsum tool slowest --jsonfile $(BUILD)/test.json --num 10 --threshold 0s; \
	exit $$passed

INTEGRATIONS := $(CURDIR)/$(BUILD)/integrations

.PHONY: integrations
integrations: $(ASSETS) ## Run the real packages of agents (LangChain, AI SDK, OpenAI Agents, MCP) against a server: installs 190 MB
	mkdir -p $(INTEGRATIONS)
	cp cmd/countersign/testdata/integrations/package*.json $(INTEGRATIONS)/
	cd $(INTEGRATIONS) && $(NPM_CI)
	COUNTERSIGN_INTEGRATIONS=$(INTEGRATIONS) go test -count=1 -tags integrations ./cmd/countersign -run '^TestIntegrations$$' -v

.PHONY: screenshots
screenshots: test-tools ## Take the README's pictures anew
	COUNTERSIGN_README_SCREENSHOTS=$(CURDIR)/static/screenshots go test -count=1 ./cmd/countersign -run '^TestScreenshots_OfTheReadme$$'

.PHONY: soak
soak: test-tools ## Every bar of reliability at its full size, then the fuzzing: hours
	COUNTERSIGN_SOAK=1 COUNTERSIGN_REQUIRE_STRACE=1 go test -count=1 -timeout 0 -p 1 -parallel 1 -v -run '^TestBar|_LeavesPublicCallsAlone$$|LinearTime|_IsLinear$$|^TestVote_(CountsAsPeopleWould|One)|^TestBallot_AsTheOracle$$' ./cmd/countersign ./domain ./domain/finding ./domain/quorum | grep -E '"bar"|^ *--- FAIL|_test.go|^FAIL|^ok'
	$(MAKE) fuzz

BENCH ?=

.PHONY: bench
bench: build ## Measure everything beside what the machine can do and write cmd/bench/RESULTS.md (BENCH=--quick, BENCH=--check): 15 minutes
	go build -o $(BUILD)/benchmark ./cmd/bench
	$(BUILD)/benchmark $(BENCH)

FUZZTIME ?= 10m

.PHONY: fuzz
fuzz: ## Every fuzz target for FUZZTIME each (10m)
	@grep -roE --include='*_test.go' '^func Fuzz[A-Za-z]+' cmd domain store views web | while IFS=: read -r file found; do \
		echo "$${found#func } in $$(dirname $$file)"; \
		go test -run '^$$' -fuzz "^$${found#func }\$$" -fuzztime $(FUZZTIME) "./$$(dirname $$file)"; \
	done

$(TOOLS)/installed: cmd/countersign/testdata/npm/package.json cmd/countersign/testdata/npm/package-lock.json
	mkdir -p $(TOOLS)
	cp $^ $(TOOLS)/
	cd $(TOOLS) && $(NPM_CI)
	touch $@

.PHONY: test-tools
test-tools: $(ASSETS) $(TOOLS)/installed ## Install Chromium, strace, Python, PostgreSQL, axe-core and a linter, which the tests need, when they are missing
	@missing=; for tool in chromium strace python3; do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	[ -z "$$missing" ] || { $(SUDO) apt-get update && $(SUDO) apt-get install -y --no-install-recommends $$missing; }
	@ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || { $(SUDO) apt-get update && \
	$(SUDO) apt-get install -y --no-install-recommends postgresql-common && \
	$(SUDO) sed -i 's/^#* *create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf && \
	$(SUDO) apt-get install -y --no-install-recommends postgresql; }
	@strace -o /dev/null true 2>/dev/null || echo "NOTE: this machine forbids tracing: power cuts (R2) and most disk faults (R6) are not tested"

.PHONY: clean
clean: ## Remove what was built and installed
	rm -rf $(BUILD) $(ASSETS)
