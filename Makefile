# What the project can do, one word each. `make help` lists them.

SHELL := /bin/bash
SWIFT ?= swift
ONCE ?=

# An import of a target that the manifest does not declare must not build by accident.
STRICT := --explicit-target-dependency-import-check error
# One test after another: tests of servers and clocks measure real time, and a pool that is busy with
# all suites at once makes them wait for each other.
RUN := --no-parallel
# Tests that click through pages have a machine that does nothing else, under `make test-browser`.
SANS_BROWSER := --skip BrowserTests
FORMATTED := Sources Tests Fuzz Demo Package.swift $(wildcard Snippets)

# What an app is linked with: documented, and kept to the oldest systems that it promises.
CLIENT := IAPModel IAPEntitlements IAPSignatures IAPKit IAPKitCallbacks IAPKitTesting IAPKitUI IAPKitSQLite SQLiteAdapter
# Those of them that an app imports itself.
DOCUMENTED := $(filter-out SQLiteAdapter,$(CLIENT))

.PHONY: help demo test test-all test-postgres test-browser screenshots lint check-ui format docs availability lint-table bench fuzz conformance simulate simulate-bugs deb test-deb check-deploy clean bootstrap

help:
	@echo "make demo      build everything, walk purchases through it, serve a page to click on"
	@echo "               (PAGE=1 serves the page at once, ONCE=1 ends after the tour)"
	@echo "make test      install what is missing, build, run every test but those with a browser"
	@echo "make test-all  the same in release mode and under the thread sanitizer"
	@echo "make test-postgres  start a PostgreSQL of its own and run the server's tests on it"
	@echo "make test-browser  install Chromium and click through every page with it"
	@echo "make screenshots   the same, and put its pictures into docs/images"
	@echo "make lint      formatting, the project's own rules, availability on old systems, documentation"
	@echo "make availability  prove that the client uses nothing newer than its oldest systems have"
	@echo "make check-ui  check the types of the SwiftUI views, the demo app and the SwiftUI examples"
	@echo "make docs      build guides and API reference as one site into .build/site, check its links"
	@echo "make lint-table  judge iap lint by its fixtures and write docs/lint"
	@echo "make format    rewrite the sources in the project's format"
	@echo "make bench     measure (JSON=FILE writes the figures, BIG=1 fills a ledger with 10^7 facts,"
	@echo "               PEERS=1 measures Apple's Python library on the same inputs)"
	@echo "make fuzz      run every fuzzer for SECONDS=60"
	@echo "make simulate  run apps, servers and the store with faults (SECONDS=180, PROFILE=standard)"
	@echo "make simulate-bugs  show that the simulation finds known mistakes"
	@echo "make conformance  run public client libraries against the simulated App Store"
	@echo "make deb       build a Debian package of iap into .build/deb"
	@echo "make test-deb  install it in a fresh Debian, serve, kill -9, purge (needs the superuser)"
	@echo "make check-deploy  let Prometheus and Compose read what is in deploy/"
	@echo "make clean     remove what was built"

bootstrap:
	@Scripts/bootstrap

demo: bootstrap
	@Scripts/need-linux "make demo"
	$(SWIFT) build --product iap
	@exec "$$($(SWIFT) build --show-bin-path)/iap" demo $(if $(ONCE),--once) $(if $(PAGE),--no-tour)

test: bootstrap
	$(SWIFT) build --build-tests $(STRICT)
	$(SWIFT) test --skip-build $(RUN) $(SANS_BROWSER)

test-all: test
	$(SWIFT) test $(RUN) $(SANS_BROWSER) -c release -Xswiftc -enable-testing
	TSAN_OPTIONS="suppressions=$(CURDIR)/Scripts/thread-sanitizer.supp" \
	  $(SWIFT) test $(RUN) $(SANS_BROWSER) --sanitize=thread --scratch-path .build-thread

test-postgres: bootstrap
	@Scripts/need-linux "make test-postgres"
	@Scripts/postgres install
	$(SWIFT) build --build-tests $(STRICT)
	@SWIFT=$(SWIFT) Scripts/test-postgres $(RUN) \
	  --filter 'ServerStorageTests|PostgresStorageTests|MigrateCommandTests|MigrateLargeTests|ServeChaosTests|ServePostgresTroubleTests|ServeNodesTests|ServeCutOffTests'

test-browser: bootstrap
	@Scripts/need-linux "make test-browser"
	@Scripts/browser install
	$(SWIFT) build --build-tests $(STRICT)
	$(SWIFT) test --skip-build $(RUN) --filter BrowserTests

screenshots: bootstrap
	@Scripts/need-linux "make screenshots"
	@Scripts/browser install
	$(SWIFT) build --build-tests $(STRICT)
	IAP_PICTURES="$(CURDIR)/docs/images" $(SWIFT) test --skip-build $(RUN) --filter BrowserTests

lint: bootstrap
	$(SWIFT) format lint --strict --recursive --parallel $(FORMATTED)
	$(SWIFT) build --build-tests $(STRICT)
	$(SWIFT) test --skip-build $(RUN) --filter TidyTests
	@SWIFT=$(SWIFT) Scripts/check-ui
	@SWIFT=$(SWIFT) Scripts/docs $(DOCUMENTED)

check-ui: bootstrap
	$(SWIFT) build --target IAPKitUI
	$(SWIFT) build --target IAPKitCallbacks
	$(SWIFT) build --target IAPKitTesting
	@SWIFT=$(SWIFT) Scripts/check-ui

availability: bootstrap
	@Scripts/need-linux "make availability"
	$(SWIFT) build --build-tests $(STRICT)
	$(SWIFT) test --skip-build $(RUN) --filter 'TidyTests.*Availability'

docs: bootstrap
	@set -e; for module in $(DOCUMENTED); do $(SWIFT) build --target $$module; done
	@SWIFT=$(SWIFT) Scripts/docs $(DOCUMENTED)
	@SWIFT=$(SWIFT) Scripts/site

lint-table: bootstrap
	@Scripts/need-linux "make lint-table"
	$(SWIFT) build --product iap-lint
	@"$$($(SWIFT) build --show-bin-path)/iap-lint" --pages docs/lint Tests/LintFixtures

format:
	$(SWIFT) format format --in-place --recursive --parallel $(FORMATTED)

bench: bootstrap
	@Scripts/need-linux "make bench"
	$(SWIFT) build -c release --product iap
	@mkdir -p .build/bench
	@SWIFT=$(SWIFT) Scripts/deb/link "$$($(SWIFT) build -c release --show-bin-path)" .build/bench/iap
	@exec .build/bench/iap bench $(if $(JSON),--output $(JSON)) \
	  $(if $(BIG),--big) $(foreach name,$(ONLY),--only $(name))
	@$(if $(PEERS),IAP=.build/bench/iap Scripts/peers)

fuzz: bootstrap
	@Scripts/need-linux "make fuzz"
	@SWIFT=$(SWIFT) Scripts/fuzz $(or $(SECONDS),60) $(ONLY)

conformance: bootstrap
	@Scripts/need-linux "make conformance"
	$(SWIFT) build --product iap
	@IAP="$$($(SWIFT) build --show-bin-path)/iap" Scripts/conformance

simulate: bootstrap
	@Scripts/need-linux "make simulate"
	$(SWIFT) build --product iap
	@exec "$$($(SWIFT) build --show-bin-path)/iap" simulate --for $(or $(SECONDS),180) \
	  --profile $(or $(PROFILE),standard) --signatures $(or $(SIGNATURES),quick)

simulate-bugs: bootstrap
	@Scripts/need-linux "make simulate-bugs"
	IAP_PLANTED=1 IAP_TESTS=none $(SWIFT) build -c release --product iap --scratch-path .build-planted
	@Scripts/simulate-bugs .build-planted/release/iap

# The scratch folder of the release build can be named, as in `make deb SCRATCH=.build/rel`.
deb: bootstrap
	@Scripts/need-linux "make deb"
	IAP_TESTS=none $(SWIFT) build -c release --product iap $(if $(SCRATCH),--scratch-path $(SCRATCH))
	@mkdir -p .build/deb
	@SWIFT=$(SWIFT) Scripts/deb/link "$$(IAP_TESTS=none $(SWIFT) build -c release --show-bin-path \
	  $(if $(SCRATCH),--scratch-path $(SCRATCH)))" .build/deb/iap
	@Scripts/deb/build .build/deb/iap .build/deb

test-deb: deb
	@Scripts/test-deb "$$(ls -t .build/deb/*.deb | head -n 1)"

check-deploy: bootstrap
	@Scripts/need-linux "make check-deploy"
	@IAP_TESTS=none $(SWIFT) build --product iap
	@Scripts/check-deploy .build/debug/iap

clean:
	rm -rf .build .build-*
