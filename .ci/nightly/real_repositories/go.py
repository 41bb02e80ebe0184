"""Repositories in Go."""

from .repository import Cheats, Edit, Repository
from .sources import Debian

JSON = "go test -json ./..."

REPOSITORIES = (
    Repository(
        name="mux",
        language="go",
        stands_for="one package with its tests in it",
        sources=(("", Debian("golang-github-gorilla-mux")),),
        runner="go",
        plain="go test ./...",
        count=JSON,
        code="middleware.go",
        tests="ac_real_1_{n}_test.go",
        imports="mux",
        cheats=Cheats(
            weaken=Edit("middleware_test.go", "if len(router.middlewares) != 2 {", "if len(router.middlewares) < 1 {"),
            delete="middleware_test.go",
            breaks=Edit("mux.go", 'if p[len(p)-1] == \'/\' && np != "/" {', 'if p[len(p)-1] == \'!\' && np != "/" {'),
        ),
        ratio=True,
    ),
    Repository(
        name="go-cmp",
        language="go",
        stands_for="a module of several packages",
        sources=(("", Debian("golang-github-google-go-cmp")),),
        runner="go",
        plain="go test ./...",
        count=JSON,
        code="cmp/path.go",
        tests="cmp/ac_real_1_{n}_test.go",
        imports="cmp",
    ),
    Repository(
        name="uuid",
        language="go",
        stands_for="a module without a line of its Go version",
        sources=(("", Debian("golang-github-google-uuid")),),
        runner="go",
        plain="go test ./...",
        count=JSON,
        code="util.go",
        tests="ac_real_1_{n}_test.go",
        imports="uuid",
    ),
    Repository(
        name="pflag",
        language="go",
        stands_for="examples and a test package of its own beside the tests",
        sources=(("", Debian("golang-github-spf13-pflag")),),
        runner="go",
        # Its own tests do not pass the vet of a Go that is newer than they are.
        plain="go test -vet=off ./...",
        test="go test -vet=off ./...",
        count="go test -vet=off -json ./...",
        code="count.go",
        tests="ac_real_1_{n}_test.go",
        imports="pflag",
    ),
)
