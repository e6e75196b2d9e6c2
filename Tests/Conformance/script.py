"""A script of `subledger schema`, taken apart."""
import re


def statements(script):
    """The statements, without the comments: a semicolon in a comment or a string ends nothing."""
    parts = re.findall(r"--[^\n]*|'[^']*'|;|[^-';]+|-", script)
    statement = ""
    for part in parts:
        if part.startswith("--"):
            continue
        if part == ";":
            yield statement.strip()
            statement = ""
        else:
            statement += part


class Script:
    """What a script makes, in its order."""

    def __init__(self, text):
        self.text = text
        self.tables, self.views, self.others = {}, {}, []
        for statement in statements(text):
            made = re.match(r"CREATE (TABLE|VIEW) (\w+)", statement)
            if made and made[1] == "TABLE":
                self.tables[made[2]] = statement
            elif made:
                self.views[made[2]] = statement
            else:
                self.others.append(statement)
        # What is asked: a table that the script's comments tell how to fill.
        self.parameters = {
            name: columns.split(", ") for name, columns in re.findall(r"^-- INSERT INTO (\w+) VALUES \(([^)]*)\)", text, re.M)
        }
        filled = {re.match(r"INSERT INTO (\w+)", other)[1] for other in self.others if other.startswith("INSERT")}
        self.evidence = [
            name for name in self.tables
            if name not in self.parameters and name not in filled and not name.startswith("projection_")
        ]
