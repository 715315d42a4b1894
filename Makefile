# `make help` lists the targets. A target that installs packages prints the command first.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup build demo test check modules test-asan test-tsan lint fuzz coverage bench compare docs interface dist deb install \
	uninstall version clean

VERSION := $(shell sed -n 's/.*current = "\(.*\)"/\1/p' Sources/Fetching/SpyglassVersion.swift)
LIBRARIES := libturbojpeg0-dev libjpeg-dev libpng-dev zlib1g-dev libcurl4-openssl-dev pkg-config
# Opened at run time, where installed.
TEST_LIBRARIES := liblcms2-2 libwebp7 libwebpdemux2 libtiff6 libheif1 libavif15 libjxl0.7
PREFIX ?= /usr/local
SECONDS ?= 60
WHAT ?= show
PART ?= all

# Warnings are errors here, not in the manifest: there, a newer compiler would break the builds of users.
STRICT := -Xswiftc -warnings-as-errors -Xcc -Wall -Xcc -Wextra -Xcc -Werror
# An undeclared import is an error, so that Package.swift is the one table of who imports whom.
DEBUG := --explicit-target-dependency-import-check error $(STRICT)
# Swift's string processing would link regular expressions, 1 MB.
PLAIN := $(addprefix -Xswiftc -Xfrontend -Xswiftc ,-disable-implicit-string-processing-module-import)
# Optimised, and with every assertion: one build finds what either of the usual two would find, and the sanitizers end in minutes.
# As in `build`, no module sees string processing; Tests/Support imports it for the tests.
CHECKED := -c release -Xswiftc -enable-testing -Xswiftc -assert-config -Xswiftc Debug $(PLAIN)
# Without debug information, and a module's interface from the job that makes its objects: a tenth of the compiling less. A trap
# still names its file and line.
TEST := $(CHECKED) -Xswiftc -gnone -Xswiftc -no-emit-module-separately-wmo --scratch-path .build-test
test modules: export SPYGLASS_TEST_BUILD := 1
# The linker searches a folder of links to static archives first: loading libstdc++ would be a third of a start.
STATIC := .build/static
# Swift checks bounds and stack frames by itself; the C modules get checks of their own. `now` resolves every function at the start,
# so that its address becomes read-only. To export no symbols saves what that costs.
HARDENING := $(addprefix -Xcc ,-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3) \
	-Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker --no-export-dynamic
# What clang adds to its own options: -Xcc would change Swift's functions, too, whose tail calls may not bear it.
BRANCHES_x86_64 := -fcf-protection
BRANCHES_aarch64 := -mbranch-protection=standard
build dist: export CCC_OVERRIDE_OPTIONS := \# $(addprefix +,$(BRANCHES_$(shell uname -m)))
# Functions have sections of their own: what nobody calls is left out.
START := $(addprefix -Xswiftc -Xfrontend -Xswiftc ,-function-sections) $(PLAIN) \
	$(addprefix -Xcc ,-ffunction-sections -fdata-sections)
# Packed relocations are 0.9 MB less, for this machine: what `dist` packs also runs where the C library is older than glibc 2.36.
PACKED := $(if $(shell grep -la GLIBC_ABI_DT_RELR "$$(cc -print-file-name=libc.so.6)"),-Xlinker -z -Xlinker pack-relative-relocs)
RELEASE := -c release --static-swift-stdlib --disable-index-store --disable-local-rpath $(DEBUG) $(HARDENING) $(START) \
	-Xswiftc -use-ld=lld -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
BINARY := .build/release/spyglass

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

setup: ## Install missing system packages, printing the command first
	@.ci/install-packages $(LIBRARIES)
	@command -v swift >/dev/null || { echo "Swift 6.3 is needed: https://www.swift.org/install/linux" >&2; exit 1; }

# link-static FOLDER, LIBRARIES: fill a folder with links to the static archives that this machine has.
link-static = mkdir -p $(1) && for library in $(2); do \
	archive=$$(cc -print-file-name=$$library.a); if [ -f "$$archive" ]; then ln -sf "$$archive" $(1)/; fi; done

build: setup ## Build .build/release/spyglass with Swift linked statically
	@$(call link-static,$(STATIC),libstdc++)
	swift build $(RELEASE) $(PACKED) -Xlinker -L$(CURDIR)/$(STATIC) --product spyglass

demo: build ## Browse the bundled archive of NASA photographs, or print it without a terminal; no network
	@$(BINARY) browse --archive Samples/archive $$([ -t 1 ] || echo --color truecolor)

test: setup ## Build and run every test, optimised and with assertions, or some: FILTER=StructuredTests
	@.ci/install-packages $(TEST_LIBRARIES)
	swift build --build-tests $(TEST) $(DEBUG)
	swift test --skip-build $(TEST) $(DEBUG) $(if $(FILTER),--filter $(FILTER))

check: setup ## Before a commit: build, run the tests of what changed, lint
	@.ci/install-packages $(TEST_LIBRARIES) python3
	.ci/check $(DEBUG)

# The modules, workers and servers that `test` builds.
modules: setup
	@swift build --build-tests $(TEST) $(DEBUG)

test-asan: setup ## Run the tests with AddressSanitizer
	@.ci/install-packages $(TEST_LIBRARIES)
	ASAN_OPTIONS=detect_leaks=0 swift test $(CHECKED) --sanitize=address --scratch-path .build-asan -Xswiftc -DADDRESS_SANITIZER

test-tsan: setup ## Run the tests with ThreadSanitizer
	@.ci/install-packages $(TEST_LIBRARIES)
	.ci/test-tsan $(CHECKED) --sanitize=thread --scratch-path .build-tsan -Xswiftc -DTHREAD_SANITIZER

lint: ## Check the format, the layers, and how the binary is hardened
	swift format lint --strict --recursive Package.swift Sources Tests Samples/library
	@[ "$$(grep -m 1 '^## ' CHANGELOG.md)" = '## $(VERSION)' ] || { echo 'CHANGELOG.md: the newest version is not $(VERSION)' >&2; exit 1; }
	.ci/check-layers
	.ci/check-binary

fuzz: setup ## Fuzz the decoders and parsers: SECONDS=60 each, TARGETS="png input"
	Tests/Fuzz/run $(SECONDS) $(TARGETS)

coverage: setup ## Run the tests and print the line coverage of each file
	swift test --enable-code-coverage --scratch-path .build-coverage
	.ci/print-coverage .build-coverage

bench: build ## Measure parts of the program: PART=all, decode, resize, cache, render or browse
	$(BINARY) bench $(PART)

compare: build ## Measure against other tools: WHAT=show, pixels, formats, list, browse, cache, fetch, resize, batch or all
	@.ci/make-dist --install $(BINARY) .build/installed
	Benchmarks/compare $(WHAT) --spyglass $(CURDIR)/.build/installed/bin/spyglass

docs: modules ## Build the documentation of the libraries in .build/docs
	@.ci/install-packages python3
	.ci/make-docs

interface: modules ## Update the listings of the public interface in Tests/Interface
	@.ci/install-packages python3
	.ci/check-interface --update

# The same objects as `build`, linked with other archives.
dist: build ## Pack a binary with its codecs linked in, man page, completions and licences into dist/; SBOM, checksums
	@.ci/install-packages python3 binutils
	@$(call link-static,.build/static-dist,libstdc++ libjpeg libpng16 libz)
	@cp $(BINARY) .build/spyglass-dynamic
	swift build $(RELEASE) -Xlinker -L$(CURDIR)/.build/static-dist -Xlinker -lz -Xlinker --print-archive-stats=$(CURDIR)/.build/archives \
		--product spyglass
	@mv $(BINARY) .build/spyglass-dist && mv .build/spyglass-dynamic $(BINARY)
	.ci/check-binary .build/spyglass-dist
	.ci/make-dist .build/spyglass-dist $(VERSION) .build/archives

deb: build ## Pack a Debian package into dist/
	@.ci/install-packages dpkg-dev binutils
	.ci/make-deb $(BINARY) $(VERSION)

install: build ## Install under PREFIX=/usr/local
	.ci/make-dist --install $(BINARY) $(DESTDIR)$(PREFIX)

uninstall: ## Remove what install put under PREFIX
	.ci/make-dist --uninstall $(DESTDIR)$(PREFIX)

# The one place that has it is SpyglassVersion.swift.
version:
	@echo $(VERSION)

clean: ## Remove everything that was built
	rm -rf .build .build-* dist Benchmarks/work Benchmarks/cache/.build
