"""A line of the table, and the tables made of all."""

from dataclasses import dataclass, field

COLUMNS = (
    ("repository", "name"),
    ("language", "language"),
    ("stands for", "stands_for"),
    ("runner's count", "own_count"),
    ("baseline", "baseline"),
    ("red", "red"),
    ("doctor", "doctor"),
    ("honest", "honest"),
    ("cheats", "cheats"),
    ("fix", "fix"),
    ("whole runs", "whole"),
    ("narrowed", "narrowed"),
    ("plain CPU s", "plain_cpu"),
    ("run CPU s", "run_cpu"),
    ("ratio", "ratio"),
    ("plain s", "plain_wall"),
    ("run s", "run_wall"),
    ("tdd MiB", "memory"),
    ("as expected", "verdict"),
)


@dataclass
class Row:
    """What one repository came to; `wrong` holds each expectation that failed."""

    name: str
    language: str
    stands_for: str
    own_count: object = "-"
    baseline: object = "-"
    red: object = "-"
    doctor: object = "-"
    honest: object = "-"
    cheats: object = "-"
    fix: object = "-"
    whole: object = "-"
    narrowed: object = "-"
    plain_cpu: object = "-"
    run_cpu: object = "-"
    ratio: object = "-"
    plain_wall: object = "-"
    run_wall: object = "-"
    memory: object = "-"
    unavailable: str = ""
    wrong: list = field(default_factory=list)

    @property
    def verdict(self):
        if self.unavailable:
            return f"not to be had: {self.unavailable}"
        return "; ".join(self.wrong) or "yes"

    def cells(self):
        return [shown(getattr(self, key)) for _, key in COLUMNS]


def shown(value):
    text = f"{value:.1f}" if isinstance(value, float) else str(value)
    return text.replace("|", "/").replace("\t", " ").replace("\n", " ")


def markdown(rows):
    lines = ["| " + " | ".join(title for title, _ in COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(row.cells()) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def tsv(rows):
    lines = ["\t".join(title for title, _ in COLUMNS)] + ["\t".join(row.cells()) for row in rows]
    return "\n".join(lines) + "\n"
