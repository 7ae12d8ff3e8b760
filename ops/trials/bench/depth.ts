import pg from 'pg'
import { openPool } from '#sql/db.ts'
import { type Benchmark, InvalidOptionError } from './benchmark.ts'
import { listClaims } from './depth/claims.ts'
import { empty, type Filling, fill, fillSettings, keepRows } from './depth/fill.ts'
import { measureGroup } from './depth/group-run.ts'
import { groupSubjects, readSizes } from './depth/groups.ts'
import { createTestTables, type TestTables } from './depth/grow.ts'
import { measureQueues, queueClaims } from './depth/jobs.ts'
import { startLists } from './depth/lists.ts'
import {
  compare,
  describeBounded,
  listUnexplained,
  loadResults,
  negligibleMs,
  type Results,
  saveResults,
} from './depth/results.ts'
import { owner, rowId, setFirstRowAge } from './depth/rows.ts'
import type { Named } from './depth/subjects.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'

/** Rows by which the size of a row is estimated. */
const estimatedBy = 5_000

export const depth: Benchmark = {
  summary: 'p99 of every list, search, count and claim with many rows in its tables, compared with a tenth of the rows',
  options: {
    rows: { about: 'rows of each table that a list reads', default: 10_000_000 },
    fewer: { about: 'smaller number of rows to compare with', default: 1_000_000 },
    jobs: { about: 'waiting jobs in each pool, compared with a tenth', default: 1_000_000 },
    requests: { about: 'requests of each kind', default: 50 },
    gigabytes: { about: 'maximum size of the tables that are filled at the same time', default: 20 },
  },
  names:
    'areas, claims or queues to measure again, or prefixes such as wiki.articles. Without names, measures what an interrupted run did not',
  async run({ rows = 10_000_000, fewer = 1_000_000, jobs = 1_000_000, requests = 50, gigabytes = 20 }, ends, names) {
    if (fewer >= rows) throw new InvalidOptionError('--fewer must be smaller than --rows.')
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends, fillSettings)
    const db = await openPool(url, 4, 30_000, 600_000)
    ends.defer(() => db.end())
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    ends.defer(() => client.end())

    setFirstRowAge(rows + 1_000)
    const lists = await startLists(db, ends)
    const ground = await createTestTables(client, lists.orgId)
    await completeImport(client)
    await keepRows(client, ground.tables)
    const filling: Filling = { url, orgId: lists.orgId, newest: rows }
    const { subjects, omitted } = await lists.find(ground, `v${rows - Math.ceil(fewer / 3)}`)

    const results = await loadResults(`${fewer}-${rows}`)
    const save = async (further: Results) => saveResults(`${fewer}-${rows}`, Object.assign(results, further))
    const claims = listClaims(db)
    const unknown = names.filter((one) => ![...subjects, ...claims, ...queueClaims, ...omitted].some(isMeantBy(one)))
    if (unknown.length > 0)
      throw new InvalidOptionError(describeUnknown(unknown, [...subjects, ...claims, ...queueClaims]))
    const isChosen = (subject: Named) => names.length === 0 || names.some((one) => isMeantBy(one)(subject))
    const isDue = (subject: Named) => isChosen(subject) && (names.length > 0 || !(subject.name in results))
    const groups = groupSubjects([...subjects, ...claims].filter(isChosen), ground.tables, {
      bytesOf: await estimateBytes(client, ground, filling, rows),
      most: gigabytes * 1e9,
    })
      .map((group) => ({ ...group, subjects: group.subjects.filter(isDue) }))
      .filter((group) => group.subjects.length > 0)
    const gb = groups.reduce((sum, { bytes }) => sum + bytes, 0) / 1e9
    console.log(`  ${groups.length} groups of tables, about ${gb.toFixed(1)} GB in total`)
    for (const group of groups) await save(await measureGroup(client, filling, group, { fewer, rows, times: requests }))
    for await (const one of measureQueues(client, url, { jobs, times: requests, isDue })) await save(one)

    return {
      comparisons: compare(results),
      notes: [
        `${rows} rows in each table that a request reads, compared with ${fewer}; ${jobs} waiting jobs in a pool, compared with a tenth; requests run one after another`,
        `times below ${negligibleMs} ms with more rows count as equal`,
        ...omitted.filter(isChosen).map(({ name, reason }) => `not measured: ${name} (${reason})`),
        ...describeBounded(results),
        ...listUnexplained(results).map((name) => `not explained within 20 s: ${name}`),
      ],
      rounds: { results },
    }
  },
}

const isMeantBy =
  (given: string) =>
  ({ name, area }: Named): boolean =>
    area === given || name.startsWith(given)

function describeUnknown(unknown: readonly string[], known: readonly Named[]): string {
  const areas = [...new Set(known.map(({ area }) => area))].toSorted()
  return `Nothing to measure has the name ${unknown.join(', ')}. The areas are ${areas.join(', ')}.`
}

/** Completes the import whose changes one of the lists shows. */
async function completeImport(client: pg.Client): Promise<void> {
  const counts = { read: 1, added: 1, changed: 1, missing: 1, left_out: 1, values_left_out: 1 }
  await client.query(`update erp.imports set state = 'done', counts = $2 where id = $1`, [rowId(owner), counts])
}

/** Returns a function for the bytes of a table with all its rows. */
async function estimateBytes(client: pg.Client, ground: TestTables, filling: Filling, rows: number) {
  const before = await readSizes(client, ground.tables)
  await fill(filling, ground.tables, estimatedBy)
  const after = await readSizes(client, ground.tables)
  await empty(client, ground.tables)
  return (table: string) => (((after.get(table) ?? 0) - (before.get(table) ?? 0)) * rows) / estimatedBy
}
