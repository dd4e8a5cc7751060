# Everything that is done with this repository. Only Go is needed; the tests on
# real servers need Java 17 and Maven, and say so where they skip.

# The race detector needs cgo and a C compiler.
CC_FOUND := $(shell command -v "$$(go env CC | cut -d' ' -f1)" 2>/dev/null)
RACE := $(if $(CC_FOUND),-race)
RACE_ENV := $(if $(CC_FOUND),CGO_ENABLED=1)

# Packages whose tests start servers: one after the other.
GOTEST := go test -shuffle=on -timeout 30m -p 1

# Packages with tests that a dependency's own race forbids under the detector:
# files that begin with //go:build !race. They run once more, without it.
RACY := $(sort $(dir $(shell grep -rl --include='*_test.go' '^//go:build !race' . 2>/dev/null)))

FUZZTIME ?= 30s
BENCHCOUNT ?= 5

.PHONY: all demo test integration lint fuzz bench bench-peers build

all: lint test

build:
	go build -o bin/spout-demo ./cmd/spout-demo

# The whole job on an embedded Kafka and ZooKeeper; the last line is the proof.
demo: build
	./bin/spout-demo demo

test:
ifeq ($(RACE),)
	@echo "no C compiler: the tests run without the race detector"
endif
	$(RACE_ENV) $(GOTEST) $(RACE) ./...
ifneq ($(RACE),)
ifneq ($(RACY),)
	@echo "again without the race detector: what a dependency's race forbids to test with it"
	$(GOTEST) $(RACY)
endif
endif

# The tests on real servers alone; what is missing for them is a failure.
integration:
	KSPOUT_REQUIRE_REAL=1 $(GOTEST) -count=1 -run 'Real|Integration' ./...

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -d .; exit 1; }
	go vet ./...
	go fix -diff ./...
	go mod tidy -diff
	go tool -modfile=tools/go.mod staticcheck ./...

# Every fuzz target for FUZZTIME.
fuzz:
	@set -e; for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg; \
		done; \
	done

# The table of the offset structures beside a plain B-tree, and all other
# benchmarks.
bench:
	go test -run '^$$' -bench . -benchmem -count $(BENCHCOUNT) ./offsets ./fetch ./zkstate

# The spout beside other Go clients, on a real broker: see bench/README.md. One
# of them needs cgo; without a C compiler the others run. Flags by BENCHFLAGS.
BENCHFLAGS ?= -rows headline -rounds 3 -latency 5

bench-peers:
	cd bench && CGO_ENABLED=0 go build -o ../bin/bench .
ifneq ($(CC_FOUND),)
	cd bench && CGO_ENABLED=1 go build -o ../bin/bench-confluent ./confluent
else
	@rm -f bin/bench-confluent
endif
	cd bench && ../bin/bench $(BENCHFLAGS)
