"""Apache Spark, on this machine alone."""
import os

from engines import Engine, plain


class Spark(Engine):
    """Each view is kept as a table when it was asked for: planning a view over views over views would take Spark longer
    than all else. The text of every view is run as it stands, over what the texts before it gave."""

    name = dialect = "spark"

    def open(self):
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        from pyspark.sql import SparkSession

        work = self.portfolio.work
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.adaptive.enabled": "true",
            "spark.sql.warehouse.dir": f"{work}/warehouse",
            "spark.local.dir": f"{work}/spark",
            "spark.driver.memory": "2g",
            "spark.driver.extraJavaOptions": f"-Dderby.system.home={work}/derby",
            "spark.log.level": "OFF",
        }
        builder = SparkSession.builder.master("local[2]").appName("conformance")
        for key, value in settings.items():
            builder = builder.config(key, value)
        # The Java machine says much on its way up: into a file, and not between the tables.
        stderr = os.dup(2)
        with open(f"{work}/spark.log", "w") as log:
            os.dup2(log.fileno(), 2)
        try:
            self.session = builder.getOrCreate()
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
        self.session.sparkContext.setLogLevel("OFF")
        self.views, self.script.views = self.script.views, {}

    def execute(self, sql):
        return self.session.sql(sql)

    def load(self, table):
        files = self.portfolio.files(table, "ndjson")
        if files:
            schema = self.session.table(table).schema
            self.session.read.schema(schema).json(files).coalesce(1).write.insertInto(table)

    def rows(self, view):
        self.execute(self.alter(view, self.views[view]))
        answer = self.session.table(view)
        answer.coalesce(2).write.saveAsTable(f"kept_{view}")
        self.execute(f"DROP VIEW {view}")
        self.execute(f"ALTER TABLE kept_{view} RENAME TO {view}")
        kept = self.session.table(view)
        return kept.columns, [tuple(map(plain, row)) for row in kept.collect()]

    def close(self):
        self.session.stop()
