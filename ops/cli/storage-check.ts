import type { Command } from 'commander'
import { forEachConcurrently } from '#lib/concurrency.ts'
import { describe } from '#lib/errors.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type NamingRow, type NamingTable, namings, page } from '#sql/named-objects.ts'
import { objectKeys } from '#tasks/account/rules/named-objects.ts'
import { type Column, json, line, number, red, table } from './output.ts'
import { progress } from './progress.ts'
import { withDatabase } from './session.ts'
import { openStorage } from './storage.ts'
import { CommandError, UsageError } from './usage.ts'

/** `millrace storage check`: checks whether objects that the database references exist. */
export function declare(program: Command): void {
  program
    .command('storage')
    .description('check the object storage')
    .command('check')
    .description(
      'find objects that the database references but storage does not contain; exits with 1 if there are any',
    )
    .option('-n, --limit <number>', 'maximum number of objects to list, up to 100000; all are counted', '100')
    .option('--json', 'print JSON')
    .action(run)
}

const atOnce = 16

interface Found {
  table: NamingTable
  rows: number
  objects: number
  missing: number
}

interface Missing {
  table: NamingTable
  row: string
  key: string
}

async function run(options: { limit: string; json?: boolean }): Promise<void> {
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 0 || limit > 100_000)
    throw new UsageError('--limit must be a whole number from 0 to 100000')
  const storage = await openStorage()
  const listed: Missing[] = []
  const found = await withDatabase(async (db) => {
    const bar = progress('tables', namings.length, options.json)
    const all: Found[] = []
    for (const { table } of namings) {
      all.push(await checkTable(db, storage, table, (one) => listed.length < limit && listed.push(one)))
      bar.at(all.length)
    }
    bar.end()
    return all
  })
  const missing = found.reduce((sum, one) => sum + one.missing, 0)
  if (options.json) json({ missing, tables: found, listed })
  else tell(found, missing, listed)
  if (missing > 0) process.exitCode = 1
}

async function checkTable(
  db: DatabasePool,
  storage: Storage,
  name: NamingTable,
  tell: (one: Missing) => void,
): Promise<Found> {
  const naming = namings.find(({ table }) => table === name) as (typeof namings)[number]
  const found: Found = { table: name, rows: 0, objects: 0, missing: 0 }
  for (let after: readonly string[] | undefined; ; ) {
    const rows = await page(db, naming, after)
    const absent = await absentOf(storage, name, rows, found)
    // The row may have changed since it was read. Only the current reference of the row counts.
    const now =
      absent.size > 0 ? new Set((await page(db, naming, after)).flatMap((row) => objectKeys(name, row))) : absent
    for (const [key, row] of absent) {
      if (!now.has(key)) continue
      found.missing++
      tell({ table: name, row, key })
    }
    after = rows.at(-1)?.key
    if (rows.length < naming.limit) return found
  }
}

async function absentOf(
  storage: Storage,
  name: NamingTable,
  rows: readonly NamingRow[],
  found: Found,
): Promise<Map<string, string>> {
  const wanted = new Map(rows.flatMap((row) => objectKeys(name, row).map((key) => [key, row.key.join(' ')] as const)))
  const absent = new Map<string, string>()
  await forEachConcurrently(wanted, atOnce, async ([key, row]) => {
    if ((await head(storage, key)) === null) absent.set(key, row)
  })
  found.rows += rows.filter(({ facts }) => facts !== null).length
  found.objects += wanted.size
  return absent
}

const head = (storage: Storage, key: string) =>
  storage.head(key).catch((error: unknown) => {
    throw new CommandError(`The object storage is not responding, so ${key} cannot be checked: ${describe(error)}`)
  })

function tell(found: readonly Found[], missing: number, listed: readonly Missing[]): void {
  table(found, columns, '')
  line('')
  if (missing === 0) {
    line('All referenced objects exist.')
    return
  }
  table(listed, listing, '')
  if (missing > listed.length) line(`and ${number(missing - listed.length)} more: --limit`)
  line(red(`\n${number(missing)} objects that the database references are missing.`))
}

const columns: Column<Found>[] = [
  { heading: 'TABLE', text: ({ table }) => table },
  { heading: 'ROWS', right: true, text: ({ rows }) => number(rows) },
  { heading: 'OBJECTS', right: true, text: ({ objects }) => number(objects) },
  { heading: 'MISSING', right: true, text: ({ missing }) => number(missing) },
]

const listing: Column<Missing>[] = [
  { heading: 'TABLE', text: ({ table }) => table },
  { heading: 'ROW', text: ({ row }) => row },
  { heading: 'OBJECT', text: ({ key }) => key },
]
