# Two commands matter: `make run` and `make test`. Both set up what is missing first and are safe to run again.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

TAGS    := desktop,production,webkit2_41
DESKTOP := build/bin/jackfield-desktop
CLI     := build/bin/jackfield
# Where the Client ID Metadata Document is hosted (build/client-metadata.json, written by `make client-metadata`); empty for none.
CLIENT_METADATA_URL ?=
LDFLAGS := -s -w -X jackfield/backend.ClientMetadataURL=$(CLIENT_METADATA_URL)
TOOL    := go tool -modfile=build/tools/go.mod

.PHONY: help
help: ## Explain the targets
	@grep -hE '^[a-z-]+:.*## ' Makefile | awk -F':.*## ' '{printf "  %-17s %s\n", $$1, $$2}'

.PHONY: run
run: setup-build build ## Build and open the app; without a display, do one call in it and leave a screenshot
	@build/run.sh

.PHONY: test
test: setup build test-cli ## Everything that CI runs
	@$(MAKE) --no-print-directory -j 2 check test-pages
	@$(MAKE) --no-print-directory test-go test-soak
	@$(MAKE) --no-print-directory -j 2 test-window test-beside
	@$(MAKE) --no-print-directory test-fuzz

# What mostly waits or gives way, while the window tests mostly wait.
.PHONY: test-beside
test-beside:
	@$(MAKE) --no-print-directory -j 1 test-peers test-conformance test-oauth test-cloudflare

.PHONY: setup setup-build
setup: ## Install what building and testing need and is missing
	@build/setup.sh test
setup-build:
	@build/setup.sh build

.PHONY: build frontend desktop cli
build: frontend desktop cli ## Build both programs into build/bin
frontend:
	cd frontend && npm run --silent build -- --logLevel warn
desktop:
	go build -trimpath -tags $(TAGS) -ldflags '$(LDFLAGS)' -o $(DESKTOP) .
cli:
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o $(CLI) ./cmd/jackfield

.PHONY: client-metadata
client-metadata: ## Write the document that is to be hosted at CLIENT_METADATA_URL
	@[[ "$(CLIENT_METADATA_URL)" == https://*/* ]] || { echo "Set CLIENT_METADATA_URL to the https address where the document will be."; exit 1; }
	@mkdir -p build/bin
	sed 's|CLIENT_METADATA_URL|$(CLIENT_METADATA_URL)|' build/client-metadata.json > build/bin/client-metadata.json

.PHONY: generate
generate: ## Write the TypeScript bindings from app/ and app/api
	build/bindings.sh

.PHONY: format
format: ## Format Go and TypeScript
	$(TOOL) gofumpt -w $$(git ls-files '*.go')
	cd frontend && npm run --silent format

.PHONY: check
check: ## Formatting, vet for three systems, linters, types, bindings up to date
	@unformatted=$$($(TOOL) gofumpt -l $$(git ls-files '*.go')); \
	 if [ -n "$$unformatted" ]; then echo "not formatted (make format): $$unformatted"; exit 1; fi
	go vet -tags peers,conformance,oauth,e2e,bench,soak,cloudflare ./...
	for os in linux windows darwin; do GOOS=$$os CGO_ENABLED=0 go vet ./...; done
	GOOS=windows CGO_ENABLED=0 go vet -tags desktop,production . ./app/...
	$(TOOL) staticcheck -tags peers,conformance,oauth,e2e,bench,soak,cloudflare ./...
	build/bindings.sh --check
	cd frontend && npm run --silent check && npm run --silent lint

.PHONY: test-go
test-go: ## Go tests with the race detector; check has vetted them
	go test -vet=off -race -timeout 8m $$(go list ./... | grep -v '/app/cli$$')
	go test -vet=off -race -timeout 8m -skip '^TestScript$$' ./app/cli
	go test -vet=off -timeout 8m -run '^TestScript$$' ./app/cli # some hundred starts of the program, which the detector makes slow

.PHONY: test-frontend
test-frontend: frontend test-pages ## Unit tests of the front end, and its screens in Chromium
.PHONY: test-pages
test-pages: # over what is built already
	cd frontend && npm run --silent test && npm run --silent e2e

.PHONY: test-cli
test-cli: cli ## The command line is static and links no window system
	build/static.sh $(CLI)

.PHONY: test-peers
test-peers: ## Real third-party servers
	go test -tags peers -count 1 -timeout 5m ./test/peers

.PHONY: test-conformance
test-conformance: ## The official conformance suite, against a client on this back end
	go test -tags conformance -count 1 -parallel 2 -timeout 10m ./test/conformance

.PHONY: test-oauth
test-oauth: ## Sign-in against real authorization servers
	go test -tags oauth -count 1 -timeout 4m ./test/oauth

.PHONY: test-soak
test-soak: ## One minute of servers that come and go, cut connections, programs killed in the middle of a write
	SOAK=1m go test -race -tags soak -count 1 -timeout 8m ./test/soak

.PHONY: soak
soak: ## The same for ten minutes
	SOAK=10m go test -race -tags soak -count 1 -timeout 60m -v ./test/soak

.PHONY: test-cloudflare
test-cloudflare: ## Servers on Cloudflare's own code in workerd; skipped with the reason where that does not start
	cd test/cloudflare && go test -tags cloudflare -count 1 -timeout 5m # without a package, so that the reason is shown

.PHONY: test-fuzz
test-fuzz: ## Fuzz what reads the texts of strangers in a sign-in, 30 s for each target
	build/fuzz.sh 30

.PHONY: test-window
test-window: ## The real window, driven through accessibility under Xvfb
	go test -tags e2e -count 1 -parallel 2 -timeout 8m ./test/e2e

.PHONY: bench
bench: setup build ## Measure against floors in the same run
	go test -tags bench -count 1 -timeout 20m -v ./test/bench

.PHONY: clean
clean: ## Remove what was built
	rm -rf build/bin build/shots build/cache frontend/dist/assets
