# `make help` lists what can be made. What installs packages prints the command first.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-asan test-tsan lint fuzz coverage bench compare docs interface dist install uninstall clean

VERSION := $(shell sed -n 's/.*current = "\(.*\)"/\1/p' Sources/Fetching/SpyglassVersion.swift)
LIBRARIES := libturbojpeg0-dev libjpeg-dev libpng-dev libcurl4-openssl-dev pkg-config
# What is opened at run time, if it is there.
TEST_LIBRARIES := liblcms2-2
PREFIX ?= /usr/local
SECONDS ?= 60
WHAT ?= show
PART ?= all

# Warnings are errors here and not in the manifest, where a newer compiler's would break somebody else's build.
STRICT := -Xswiftc -warnings-as-errors -Xcc -Wall -Xcc -Wextra -Xcc -Werror
# A folder of links to static archives that the linker searches first: libstdc++ loaded at run time is a third of a start.
STATIC := .build/static
RELEASE := -c release --static-swift-stdlib --disable-index-store --disable-local-rpath \
	--explicit-target-dependency-import-check error -Xswiftc -use-ld=lld \
	-Xswiftc -L -Xswiftc $(CURDIR)/$(STATIC) -Xswiftc -Xclang-linker -Xswiftc -static-libgcc $(STRICT)
BINARY := .build/release/spyglass

help: ## Shows this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

setup: ## Installs the system packages that are missing, printing the command first
	@.ci/install-packages $(LIBRARIES)
	@command -v swift >/dev/null || { echo "Swift 6.3 is needed: https://www.swift.org/install/linux" >&2; exit 1; }

build: setup ## Builds .build/release/spyglass, with Swift linked statically
	@mkdir -p $(STATIC)
	@archive=$$(cc -print-file-name=libstdc++.a) && if [ -f "$$archive" ]; then ln -sf "$$archive" $(STATIC)/; fi
	swift build $(RELEASE) --product spyglass

demo: build ## Opens the browser on the bundled archive of NASA photographs, or prints them without a terminal; needs no network
	@$(BINARY) browse --archive Samples/archive

test: setup ## Builds and runs every test (CONFIG=release for the optimised pass)
	@.ci/install-packages $(TEST_LIBRARIES)
	swift test $(if $(filter release,$(CONFIG)),-c release -Xswiftc -enable-testing --scratch-path .build-test,) $(STRICT)

test-asan: setup ## Runs the tests under the address sanitizer
	@.ci/install-packages $(TEST_LIBRARIES)
	ASAN_OPTIONS=detect_leaks=0 swift test --sanitize=address --scratch-path .build-asan

test-tsan: setup ## Runs the tests under the thread sanitizer
	@.ci/install-packages $(TEST_LIBRARIES)
	swift test --sanitize=thread --scratch-path .build-tsan -Xswiftc -DTHREAD_SANITIZER

lint: ## Checks the format, the layers and what the binary links
	swift format lint --strict --recursive Package.swift Sources Tests Samples/library
	.ci/check-layers

fuzz: setup ## Fuzzes JPEG, PNG, colour profiles, answers, text, cache entries and input; SECONDS=60 each
	Tests/Fuzz/run $(SECONDS)

coverage: setup ## Runs the tests and prints the covered lines of each file
	swift test --enable-code-coverage --scratch-path .build-coverage
	.ci/print-coverage .build-coverage

bench: build ## Measures the parts of the program on this machine: PART=all, decode, resize, cache, render or browse
	$(BINARY) bench $(PART)

compare: build ## Measures against the rivals side by side: WHAT=show, list, browse, cache, fetch, resize, batch or all
	Benchmarks/compare $(WHAT) --spyglass $(CURDIR)/$(BINARY)

docs: setup ## Makes the documentation of the libraries, in .build/docs
	@.ci/install-packages python3
	.ci/make-docs

interface: setup ## Renews the listings of the public interface, in Tests/Interface
	@.ci/install-packages python3
	.ci/check-interface --renew

dist: setup ## Packs a binary with its codecs linked statically, man page, completions and licences into dist/
	@mkdir -p .build-dist/static
	@for library in libstdc++ libjpeg libpng16 libz; do ln -sf "$$(cc -print-file-name=$$library.a)" .build-dist/static/; done
	swift build $(subst $(CURDIR)/$(STATIC),$(CURDIR)/.build-dist/static,$(RELEASE)) --scratch-path .build-dist \
		-Xlinker -lz --product spyglass
	.ci/make-dist .build-dist/release/spyglass $(VERSION)

install: build ## Installs under PREFIX=/usr/local
	.ci/make-dist --install $(BINARY) $(DESTDIR)$(PREFIX)

uninstall: ## Removes what install put under PREFIX
	.ci/make-dist --uninstall $(DESTDIR)$(PREFIX)

clean: ## Removes everything that was built
	rm -rf .build .build-* Tests/Fuzz/.build dist Benchmarks/work Benchmarks/cache/.build
