# The commands of a checkout. Everything runs in .venv, which sets itself up from pyproject.toml.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# What is installed names its own folder, and belongs to one Python: where either was changed since, it is made anew.
MOVED := $(shell cd $(BIN) 2>/dev/null && [ -e companion ] && { ! head -n 2 companion | grep -qF "$$(pwd -P)/" \
	|| ! ./python -c 'import companion' 2>/dev/null; } && echo moved-environment)

# python3 if the libraries have wheels for it, else the newest of the others.
FITS = import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))
PYTHON ?= $(shell for each in python3 python3.13 python3.12 python3.11; do \
	$$each -c '$(FITS)' 2>/dev/null && echo $$each && exit; done; echo python3)

CATALOGUES := $(patsubst %.po,%.mo,$(wildcard assets/locale/*/LC_MESSAGES/companion.po))
# A Raspberry Pi is a table: what is shown there needs no developers' tools.
MODEL ?= /proc/device-tree/model
PI := $(shell grep -aqs 'Raspberry Pi' $(MODEL) && echo yes)
comma := ,
TABLE := $(VENV)/.table
SHOWN := $(if $(PI),$(TABLE),$(READY) $(CATALOGUES))
SOURCES := companion hardware systemd tests club conftest.py
PI_WORK ?= build/pi
# What a bundle and a package are made for, such as trixie-aarch64.
FOR = $(or $(RELEASE),trixie)-$(or $(MACHINE),aarch64)

.DEFAULT_GOAL := help
.PHONY: help demo quick test long models live check kept kit album aloud format format-check lint types bench oracle bench-vision bench-opencv browser desk clips takes hyphens lessons fuzz lock audit docs guide site pictures film screens reference print install-check bundle deb deb-check pi pi-matrix pi-arm64 pi-page pi-update powercut fairness club club-machine home-assistant size walks fresh clean

help:  ## list these commands
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|' 2>/dev/null \
		|| sed -nE 's/^([a-z0-9-]+):.*## (.*)/make \1: \2/p' $(MAKEFILE_LIST)

demo: $(SHOWN)  ## set everything up and show a refereed game (ARGS="kinapa --seats 6")
	@$(BIN)/companion demo $(ARGS)

quick: $(READY) $(CATALOGUES)  ## check what changed and the tests nearest to it, in under 45 s (ARGS="files or folders")
	@$(BIN)/python -m tests.quick $(ARGS)

test: $(READY) $(CATALOGUES)  ## set everything up and run the tests (ARGS="-k stop")
	@$(BIN)/python -m pytest -n 2 --dist loadfile -m "not long" $(ARGS)

test-table: $(READY) $(CATALOGUES)  ## the same of the table alone, and test-club of the club (ARGS="-k stop")
	@$(BIN)/python -m pytest -n 2 --dist loadfile -m "not long" tests $(ARGS)

test-club: $(READY) $(CATALOGUES)
	@$(BIN)/python -m pytest -n 2 --dist loadfile -m "not long" club/tests $(ARGS)

long: $(READY) $(CATALOGUES)  ## the slow tests with all they have: models of the rules, whole games, lessons (about 20 minutes on two cores; says how far it is)
	@THOROUGH=1 $(BIN)/python -m pytest -n 2 --dist loadfile --timeout 3600 -p tests.progress -m "(slow or long) and not hours" $(ARGS)

models: $(READY) $(CATALOGUES)  ## two thousand games of each classic beside a model written from the rules page alone (hours; ARGS="-k euchre")
	@THOROUGH=1 $(BIN)/python -m pytest -n 2 --dist load --timeout 7200 -p tests.progress -m hours $(ARGS)

live: $(READY) $(CATALOGUES)  ## run the README's own lines, every game and lesson, as a user runs them (5 minutes; ARGS="demo dnup")
	@$(BIN)/python -m tests.programs.live $(ARGS)

check: format-check lint types test  ## what CI runs before live: format, lint, types, tests

kept: $(READY) $(CATALOGUES)  ## redraw the kept pictures of the screens that changed; build/kept shows them before and after
	@$(BIN)/python -m tests.ui.kept

kit: $(READY) $(CATALOGUES)  ## draw every part of the screen in every state (build/kit.png)
	@$(BIN)/python -m tests.programs.kit_page

aloud: $(READY) $(CATALOGUES)  ## write a whole game of each kind as a text, in three languages, to read through (build/aloud)
	@$(BIN)/python -m tests.programs.aloud $(ARGS)

hyphens: $(READY)  ## list again where long words of the catalogues may be broken (assets/locale/*/hyphens.txt)
	@$(BIN)/python -m tests.programs.hyphens

album: $(READY) $(CATALOGUES)  ## draw every screen in every size, language and letter, and check them (minutes; ARGS="--size 800x480")
	@$(BIN)/python -m tests.ui.album $(ARGS)

format: $(READY)  ## format the code
	@$(BIN)/ruff format $(SOURCES)
	@$(BIN)/ruff check --fix $(SOURCES)

format-check: $(READY)
	@$(BIN)/ruff format --check $(SOURCES)

lint: $(READY)
	@$(BIN)/ruff check $(SOURCES)
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml

types: $(READY)
	@$(BIN)/mypy

bench: $(VENV)/.bench $(CATALOGUES)  ## measure against peers, which are installed only for this
	@$(BIN)/python -m tests.programs.bench $(ARGS)

oracle: $(VENV)/.oracle  ## a million plies of Liar's Dice, Hearts, Spades and Euchre beside OpenSpiel's, which is installed only for this (ARGS="--plies 20000")
	@$(BIN)/python -m tests.programs.oracle $(ARGS)
	@$(BIN)/python -m tests.programs.oracle_hearts $(ARGS)
	@$(BIN)/python -m tests.programs.oracle_spades $(ARGS)
	@$(BIN)/python -m tests.programs.oracle_euchre $(ARGS)

bench-vision: $(READY)  ## measure the recogniser on pictures of one's own (DATA=folder), or ARGS=--long
	@test -n "$(DATA)$(findstring --long,$(ARGS))" || { echo "Name the pictures: make bench-vision DATA=folder"; exit 2; }
	@$(BIN)/python -m tests.programs.bench.vision $(if $(DATA),"$(DATA)") $(ARGS)

bench-opencv: $(READY)  ## read the same pictures with the oldest and newest versions of OpenCV (DATA=folder)
	@test -n "$(DATA)" || { echo "Name the pictures: make bench-opencv DATA=folder"; exit 2; }
	@$(BIN)/python -m tests.programs.bench.opencv "$(DATA)"

fuzz: $(READY) $(CATALOGUES)  ## strangers' files, 100,000 pictures and places, 5,000 covered histories, 100,000 deeds (hours)
	@FUZZ_EXAMPLES=20000 $(BIN)/python -m pytest -q --timeout 7200 tests/whole/test_hostile_files.py tests/referee/test_hostile_chain.py tests/referee/test_hostile_journals.py tests/vision/test_hostile_decks.py tests/vision/test_hostile_pictures.py
	@LEAK_EXAMPLES=5000 $(BIN)/python -m pytest -q --timeout 7200 tests/whole/test_kabuki_loop.py tests/whole/test_covered_faces.py
	@LEAK_STEPS=100000 $(BIN)/python -m pytest -q --timeout 7200 tests/whole/test_onlooker.py

browser: $(READY) $(CATALOGUES)  ## watch games in Chromium, play a whole one by four phones, and lose the connection, in WebKitGTK too (webkit2gtk-driver, xvfb; minutes; build/browser)
	@$(BIN)/python -m tests.outside_programs chromium
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'playwright>=1.50' 'axe-playwright-python>=0.1.7'
	@$(BIN)/python -m tests.programs.browser $(ARGS)

desk: $(READY) $(CATALOGUES)  ## run a simulated club evening in Chromium: organiser, judge, big screen (3 minutes; build/desk)
	@$(BIN)/python -m tests.outside_programs chromium
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'playwright>=1.50' 'axe-playwright-python>=0.1.7'
	@$(BIN)/python -m club.tests.programs.browser_desk

$(VENV)/.clips: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[clips]'
	@touch $@

clips: $(VENV)/.clips $(CATALOGUES)  ## build the voice clips from the catalogues (needs espeak-ng and npm; all afresh takes hours, only what changed minutes; ARGS="fr --workers 1"; VOICE=bm_george ARGS=en: another voice, as a pack)
	@$(BIN)/python -m tests.outside_programs espeak-ng
	@$(BIN)/python -m tests.programs.clips $(ARGS) $(if $(VOICE),--voice $(VOICE))

takes: $(VENV)/.clips $(CATALOGUES)  ## choose the best of eight takes of what is heard most, and of three of every question (about an hour of one processor; ARGS="DEMOS en", DEMOS a folder of recorded demos)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[judges]'
	@$(BIN)/python -m tests.programs.takes $(ARGS)

lessons: $(READY) $(CATALOGUES)  ## go through every lesson at a simulated table, with every mistake (minutes; ARGS=kabuki)
	@SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy $(BIN)/python -m tests.programs.at_table $(ARGS)

docs: $(READY)  ## build the pages of docs/ as a site and check every link (build/site)
	@$(BIN)/python -m pip --quiet install --disable-pip-version-check -e '.[docs]'
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet && echo "build/site/index.html"

guide: docs  ## print the pages of Build as one PDF (dist/build-guide.pdf; needs Chromium)
	@$(BIN)/python -m tests.programs.guide

site: docs guide  ## pack the site and the guide for a release (dist/table-companion-docs.zip)
	@cp dist/build-guide.pdf build/site/build-guide.pdf
	@$(BIN)/python -c 'import shutil; print(shutil.make_archive("dist/table-companion-docs", "zip", "build", "site"))'

pictures: $(READY) $(CATALOGUES)  ## draw every picture of README and docs again, from the program itself (minutes; needs Chromium)
	@$(BIN)/python -m tests.outside_programs chromium
	@$(BIN)/python -m tests.programs.pictures
	@$(BIN)/python -m tests.programs.screens
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'playwright>=1.50'
	@$(BIN)/python -m tests.programs.browser.overlay

film: $(READY) $(CATALOGUES)  ## play the show as the README's moving picture and the site's film with sound (ffmpeg; a minute)
	@$(BIN)/python -m tests.programs.film

screens: $(READY) $(CATALOGUES)  ## draw the pictures of docs/screens.md again
	@$(BIN)/python -m tests.programs.screens

reference: $(READY)  ## write the settings' reference again, from the code (docs/settings.md)
	@$(BIN)/python -m tests.programs.reference

lock: $(READY)  ## write systemd/requirements.lock again: versions and hashes of what is installed
	@$(BIN)/python -m pip --quiet install 'pip-tools>=7.4'
	@mkdir -p build
	@$(BIN)/pip-compile --quiet --upgrade --generate-hashes --strip-extras --allow-unsafe --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --output-file build/requirements.lock pyproject.toml
	@{ head -2 systemd/requirements.lock; cat build/requirements.lock; } > build/lock && mv build/lock systemd/requirements.lock

audit: $(READY)  ## ask for known holes in what systemd/requirements.lock names (needs the network)
	@$(BIN)/python -m pip --quiet install 'pip-audit>=2.7'
	@$(BIN)/pip-audit --requirement systemd/requirements.lock --no-deps --disable-pip

print: $(SHOWN)  ## draw the deck and the table mat as PDF in real size
	@$(BIN)/companion print $(ARGS)

install-check: $(READY) $(CATALOGUES)  ## install the wheel in each way this machine has, play a demo, print (minutes, network)
	@$(BIN)/python -m tests.programs.install_check $(ARGS)

bundle: $(READY) $(CATALOGUES)  ## gather all for a Pi without a network (RELEASE=trixie MACHINE=aarch64 SIGN=key)
	@SIGN=$(SIGN) systemd/bundle.sh dist/companion-$(FOR) $(subst -, ,$(FOR))

deb: bundle  ## the same as a Debian package for trixie (MACHINE=aarch64)
	@systemd/deb.sh dist/companion-$(FOR) dist

deb-check: $(READY) $(CATALOGUES)  ## install, upgrade, remove and purge the package in a bare trixie (root, mmdebstrap, lintian, network; minutes)
	@$(BIN)/python -m tests.outside_programs mmdebstrap lintian dpkg-deb
	@mkdir -p $(PI_WORK)
	@PI_WORK=$(PI_WORK) $(BIN)/python tests/programs/pi/chroot.py $(ARGS)

pi: $(READY) $(CATALOGUES)  ## try the appliance in a virtual Pi (root, QEMU; see tests/programs/pi/README.md)
	@$(BIN)/python -m tests.outside_programs mmdebstrap qemu-system-x86_64
	@test -e $(PI_WORK)/desktop.ext4 || tests/programs/pi/build.sh $(PI_WORK)
	@PI_WORK=$(PI_WORK) $(BIN)/python tests/programs/pi/run.py $(ARGS)
	@PI_WORK=$(PI_WORK) $(BIN)/python tests/programs/pi/appliance.py --fresh
	@PI_WORK=$(PI_WORK) $(BIN)/python tests/programs/pi/failing.py
	@PI_WORK=$(PI_WORK) $(BIN)/python tests/programs/pi/desktop.py
	@PI_WORK=$(PI_WORK) $(BIN)/python tests/programs/pi/cuts.py

pi-matrix: $(READY) $(CATALOGUES) build/pi-matrix/.ready  ## every recorded machine with every fault: what doctor, screen and log say (each fault on two machines, 25 s of the processor; ARGS=--all on each, or ARGS="'Pi 5' SPI")
	@$(BIN)/python -m tests.programs.pi_matrix $(ARGS)

pi-arm64: $(READY) $(CATALOGUES)  ## the Debian package, doctor, three cards and a demo in an emulated arm64 machine (root, QEMU, network; up to an hour)
	@$(BIN)/python -m tests.outside_programs mmdebstrap qemu-system-aarch64
	@mkdir -p $(PI_WORK)
	@PI_WORK=$(PI_WORK) PYTHONPATH=. $(BIN)/python tests/programs/pi/arm64.py $(ARGS)

pi-page: $(READY) $(CATALOGUES)  ## phones play in the virtual Pi, its page is killed, off and on, read by its owner (root, QEMU; half an hour)
	@$(BIN)/python -m tests.outside_programs mmdebstrap qemu-system-x86_64
	@test -e $(PI_WORK)/desktop.ext4 || tests/programs/pi/build.sh $(PI_WORK)
	@PI_WORK=$(PI_WORK) $(BIN)/python tests/programs/pi/page.py $(or $(ARGS),--fresh)

pi-update: $(READY) $(CATALOGUES)  ## try updates in the virtual Pi: package, stick, back, removal (root, QEMU; see tests/programs/pi/README.md)
	@$(BIN)/python -m tests.outside_programs mmdebstrap qemu-system-x86_64 ssh-keygen
	@test -e $(PI_WORK)/desktop.ext4 || tests/programs/pi/build.sh $(PI_WORK)
	@PI_WORK=$(PI_WORK) $(BIN)/python tests/programs/pi/updating.py $(or $(ARGS),--fresh)

powercut: $(READY)  ## cut the power over the journal 2,400 times and more (root, QEMU, 15 minutes)
	@$(BIN)/python -m tests.outside_programs mmdebstrap qemu-system-x86_64
	@test -e $(PI_WORK)/root.ext4 || tests/programs/pi/build.sh $(PI_WORK)
	@PI_WORK=$(PI_WORK) $(BIN)/python tests/programs/pi/powercut/run.py $(ARGS)

fairness: $(READY) $(CATALOGUES)  ## who was first, live and under load, beside gpiozero (root, QEMU, an hour)
	@$(BIN)/python -m tests.outside_programs mmdebstrap qemu-system-x86_64
	@test -e $(PI_WORK)/root.ext4 || tests/programs/pi/build.sh $(PI_WORK)
	@PI_WORK=$(PI_WORK) $(BIN)/python tests/programs/pi/fairness/run.py $(ARGS)

club: $(READY) $(CATALOGUES)  ## evenings of 30 and 300 tables, broker and database, while everything breaks (mosquitto, postgresql; 20 minutes)
	@$(BIN)/python -m tests.outside_programs mosquitto postgresql
	@$(BIN)/python -m club.tests.programs $(ARGS)

club-machine: $(READY) $(CATALOGUES)  ## follow club/README.md on an empty, booted Debian, to the first round (root, systemd-nspawn, slirp4netns; 15 minutes)
	@$(BIN)/python -m tests.outside_programs mmdebstrap systemd-nspawn slirp4netns ip chromium
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'playwright>=1.50'
	@$(BIN)/python -m club.tests.programs.machine $(ARGS)

home-assistant: $(READY) $(CATALOGUES)  ## a game in Home Assistant itself, and the lamp of its page (root, mmdebstrap, mosquitto; 4 minutes, first 10)
	@$(BIN)/python -m tests.outside_programs mmdebstrap mosquitto mosquitto_passwd openssl
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pyyaml>=6'
	@$(BIN)/python -m club.tests.programs.home_assistant

size: $(READY)  ## how large each room of the source is, and how it is cut (ARGS=--strict)
	@$(BIN)/python -m tests.size $(ARGS)

walks: $(READY) $(CATALOGUES)  ## which files a press, a card and a setting go through, written into docs/architecture.md (seconds)
	@$(BIN)/python -m tests.programs.walks $(ARGS)

fresh: $(READY) $(CATALOGUES)  ## the README's commands in an empty Debian, trixie and bookworm (root, mmdebstrap, network; half an hour)
	@$(BIN)/python -m tests.programs.fresh $(ARGS)

clean:  ## remove .venv and everything that was built
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .hypothesis .pytest_cache *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -f $(CATALOGUES)

# On a Pi picamera2 and lgpio come from the system's packages, so the environment has to see those, and keeps the
# numpy that they were built against, as systemd/install.sh does.
define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { echo "Python 3.11 or newer is needed, and this is $$($(PYTHON) --version): $(if $(PI),flash Raspberry Pi OS trixie (64-bit),name one: make PYTHON=/path/to/python3.11 …)"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.maxsize < 2**32)' \
		|| { echo "This system is a 32-bit one, for which OpenCV has no packages: $(if $(PI),flash Raspberry Pi OS trixie (64-bit),use a 64-bit system)"; exit 2; }
	@seen=$$($(PYTHON) -c 'from importlib.util import find_spec as f; print("--system-site-packages" if f("picamera2") else "")'); \
	if [ ! -x $(BIN)/python ]; then \
		echo "Setting up $(VENV) with $$($(PYTHON) --version) $$seen"; \
		$(PYTHON) -m venv $$seen $(VENV) \
			|| { rm -rf $(VENV); echo "Python's venv module is missing; on Debian: sudo apt install python3-venv. On a stick or a share? Copy the folder to the disk"; exit 2; }; \
	fi; \
	rm -f $(VENV)/constraints.txt; \
	[ -z "$$seen" ] || $(PYTHON) -c 'import numpy; print(f"numpy=={numpy.__version__}")' >$(VENV)/constraints.txt 2>/dev/null || true; \
	echo "Installing the libraries (once; some minutes on a slow line)"; \
	constrain=; [ ! -s $(VENV)/constraints.txt ] || constrain="--constraint $(VENV)/constraints.txt"; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $$constrain $(1) \
		|| { made=$$(git log -1 --format=%ct 2>/dev/null || date -r Makefile +%s); [ $$(date +%s) -ge $$made ] \
			|| { echo "The clock says $$(date +%F), so no certificate is valid yet: set it (sudo date -s '2026-12-31 20:00'). Then make again"; exit 2; }; \
		getent hosts pypi.org >/dev/null || { echo "This computer finds no network (pypi.org): join one (on a Pi: sudo nmtui). Then make again"; exit 2; }; \
		echo "The libraries did not come. Is there a network, the right date, room on the disk? Was it begun with sudo: sudo chown -R $$(id -un): . Then make again"; exit 2; }
	@$(BIN)/python companion/system/setup_opencv.py
	@touch $@
endef

.PHONY: moved-environment
moved-environment:
	@echo "This folder was moved, or the system has another Python, since $(VENV) was made: it is made anew."
	@rm -rf $(VENV)

$(READY): pyproject.toml club/pyproject.toml companion/system/setup_opencv.py $(MOVED)
	$(call install,-e '.[dev$(comma)page$(comma)home]' -e 'club[hub]')

# Its build compiles the catalogues.
$(TABLE): pyproject.toml club/pyproject.toml companion/system/setup_opencv.py $(MOVED) $(wildcard assets/locale/*/LC_MESSAGES/companion.po)
	$(call install,-e '.[page$(comma)home$(comma)print]' -e club)

# The libraries of a Pi, beside the environment and without what they need for films and files.
build/pi-matrix/.ready: tests/programs/pi_matrix/requirements.txt | $(READY)
	@rm -rf build/pi-matrix
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target build/pi-matrix -r $<
	@touch $@

$(VENV)/.bench: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@$(BIN)/python companion/system/setup_opencv.py
	@touch $@

$(VENV)/.oracle: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[oracle]'
	@touch $@

%.mo: %.po | $(READY)
	@$(BIN)/pybabel --quiet compile -i $< -o $@
