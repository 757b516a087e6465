"""nose2, behave and Robot Framework: each writes JUnit by an option of its own."""

from __future__ import annotations

from shipmoor_hooks.runners.operands import paths, patterns
from shipmoor_hooks.runners.runner import Order, Prepared, Runner, Variable, literal
from shipmoor_hooks.runners.words import Effect, Takes, grammar, option, options, repeated

NOSE2 = grammar(
    *options("-s --start-dir -c --config", Effect.SELECT, Takes.VALUE),
    *repeated("-A --attribute -E --eval-attribute", Effect.SELECT),
    option("--no-plugins", Effect.SELECT),
    option("-F --fail-fast", Effect.BAIL),
    *options("-h --help --collect-only", Effect.LIST),
    *options("-v --verbose -q --quiet -B --output-buffer -C --with-coverage --log-capture", Effect.COSMETIC),
    *options("--pretty-assert -X --junit-xml", Effect.COSMETIC),
    *options("--verbosity --log-level --coverage --coverage-report --coverage-config", Effect.COSMETIC, Takes.VALUE),
    *options("--junit-xml-path -N --processes", Effect.COSMETIC, Takes.VALUE),
    *options("-t --top-level-directory --project-directory", Effect.PLAIN, Takes.VALUE),
    *repeated("--plugin --exclude-plugin", Effect.PLAIN),
    clusters=True,
    abbreviates=True,
)


def tell_nose2(order: Order) -> Prepared:
    """The plugin comes with nose2, and loading it twice does no harm. The last path named wins."""
    if chosen := order.value(NOSE2, "--junit-xml-path"):
        return Prepared(order.command, reports=(literal(chosen),))
    report = order.file("nose2.xml")
    extra = ("--plugin", "nose2.plugins.junitxml", "--junit-xml", "--junit-xml-path", report)
    return Prepared(order.first(*extra), reports=(literal(report),))


BEHAVE = grammar(
    *repeated("-e --exclude -i --include -n --name -t --tags", Effect.SELECT),
    option("-w --wip", Effect.SELECT),
    option("--stop", Effect.BAIL),
    *options("-d --dry-run --steps-catalog --lang-list --tags-help --version -h --help", Effect.LIST),
    option("--lang-help", Effect.LIST, Takes.VALUE),
    *options("-C --no-color --junit --no-junit --no-skipped --show-skipped --no-snippets --snippets", Effect.COSMETIC),
    *options("--no-multiline --multiline --no-summary --summary -q --quiet --no-source", Effect.COSMETIC),
    *options("--show-source -T --no-timings --show-timings -v --verbose", Effect.COSMETIC),
    *options("--capture --no-capture --capture-stdout --no-capture-stdout", Effect.COSMETIC),
    *options("--capture-stderr --no-capture-stderr --capture-log --logcapture", Effect.COSMETIC),
    *options("--no-capture-log --no-logcapture --capture-hooks --no-capture-hooks", Effect.COSMETIC),
    *options("--logging-clear-handlers --no-logging-clear-handlers", Effect.COSMETIC),
    option("--color", Effect.COSMETIC, Takes.PERHAPS),
    *options("--junit-directory -j --jobs --parallel -f --format -o --outfile", Effect.COSMETIC, Takes.VALUE),
    *options("--logging-level --logging-format --logging-datefmt --logging-filter", Effect.COSMETIC, Takes.VALUE),
    *options("-r --runner --stage --lang", Effect.PLAIN, Takes.VALUE),
    option("-D --define", Effect.PLAIN, Takes.VALUE, repeats=True),
    clusters=True,
    abbreviates=True,
)


def tell_behave(order: Order) -> Prepared:
    """One file for each feature."""
    folder = order.value(BEHAVE, "--junit-directory")
    extra = ("--junit",) if folder else ("--junit", "--junit-directory", order.folder)
    return Prepared(order.first(*extra), reports=(f"{literal(folder or order.folder)}/TESTS-*.xml",))


ROBOT = grammar(
    *repeated("-t --test --task -s --suite -i --include -e --exclude --skip --prerunmodifier", Effect.SELECT),
    *repeated("-R --rerunfailed -S --rerunfailedsuites -I --parseinclude -A --argumentfile", Effect.SELECT),
    *options("-F --extension", Effect.SELECT, Takes.VALUE),
    *options("-X --exitonfailure --exitonerror", Effect.BAIL),
    *options("--dryrun --version -h -? --help", Effect.LIST),
    *options("--legacyoutput -T --timestampoutputs --splitlog --quiet", Effect.COSMETIC),
    *options("-d --outputdir -o --output -l --log -r --report -x --xunit -b --debugfile", Effect.COSMETIC, Takes.VALUE),
    *options("--logtitle --reporttitle --reportbackground --maxerrorlines", Effect.COSMETIC, Takes.VALUE),
    *options("--maxassignlength -L --loglevel --suitestatlevel --console", Effect.COSMETIC, Takes.VALUE),
    *options("-W --consolewidth -C --consolecolors --consolelinks -K --consolemarkers", Effect.COSMETIC, Takes.VALUE),
    *options("--tagstatinclude --tagstatexclude --tagstatcombine --tagdoc", Effect.COSMETIC, Takes.VALUE),
    *options("--tagstatlink --expandkeywords --removekeywords --flattenkeywords", Effect.COSMETIC, Takes.VALUE),
    *options("--rpa --runemptysuite --nostatusrc --skipteardownonexit", Effect.PLAIN),
    *repeated("-v --variable -V --variablefile -M --metadata -G --settag --skiponfailure", Effect.PLAIN),
    *repeated("--listener --prerebotmodifier --parser -P --pythonpath", Effect.PLAIN),
    *options("-N --name -D --doc --language --randomize", Effect.PLAIN, Takes.VALUE),
    abbreviates=True,
    folded=True,
)  # fmt: skip


def tell_robot(order: Order) -> Prepared:
    """The xunit file stands beside Robot's own output, log and report, which stay where the user has them. A relative
    name lies below `--outputdir`."""
    if chosen := order.value(ROBOT, "-x", "--xunit"):
        folder = order.value(ROBOT, "-d", "--outputdir") or "."
        return Prepared(order.command, reports=(literal(chosen if chosen.startswith("/") else f"{folder}/{chosen}"),))
    report = order.file("robot.xml")
    return Prepared(order.first("--xunit", report), reports=(literal(report),))


RUNNERS = (
    Runner("nose2", NOSE2, tell_nose2, operands=patterns, version=("--help",)),
    Runner("behave", BEHAVE, tell_behave, operands=paths()),
    Runner("robot", ROBOT, tell_robot, operands=paths(), variables=(Variable("ROBOT_OPTIONS", ROBOT),)),
)
