import type { Db } from '#sql/db.ts'
import { Dimension } from '#sql/video/audience.ts'
import * as reports from '#sql/video/audience-reports.ts'
import { writeCsvLine } from '../../http/csv-line.ts'

const batch = 500

const heading = [
  ...['day', 'dimension', 'value', 'plays', 'viewers', 'play_seconds', 'failed_plays', 'errors', 'measured_plays'],
  ...Array.from({ length: 10 }, (_, tenth) => `tenth_${tenth + 1}`),
]

/** Reads the rows in batches, as fast as the client receives them. */
export async function* audienceLines(db: Db, query: reports.AudienceQuery): AsyncGenerator<string> {
  yield writeCsvLine(heading)
  for (const dimension of Dimension.options) yield* linesOf(db, query, dimension)
}

async function* linesOf(db: Db, query: reports.AudienceQuery, dimension: Dimension): AsyncGenerator<string> {
  for (let after: reports.ExportPlace | undefined; ; ) {
    const rows = await reports.listRows(db, query, dimension, after, batch)
    if (rows.length > 0) yield rows.map(lineOf).join('')
    after = rows.at(-1)
    if (rows.length < batch) return
  }
}

const lineOf = (row: reports.ExportRow): string =>
  writeCsvLine([
    ...[row.day, row.dimension, row.value, row.plays, row.viewers, row.play_ms / 1000, row.failed_plays, row.errors],
    ...[row.measured, ...row.tenths],
  ])
