import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import * as orgs from '#sql/account/orgs.ts'
import { openPool } from '#sql/db.ts'
import { signedIn } from '../../../test/app/fixture.ts'
import { Stack } from '../../../test/support/stack.ts'
import { ensureDatabase } from '../../embedded/database.ts'
import { startPostgres } from '../../embedded/postgres.ts'
import { majorVersion } from '../../embedded/postgres-folder.ts'
import { preferPort } from '../../start/ports.ts'
import { type Benchmark, CannotMeasureError } from './benchmark.ts'
import { createBenchmarkFolder } from './ground.ts'
import { explain, listMostExpensive, type Statement } from './statements/most-expensive.ts'
import { visitPages } from './statements/pages.ts'

const settings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '10000',
  'pg_stat_statements.track_planning': 'on',
}

export const statements: Benchmark = {
  summary: 'the most expensive statements of the tour and of the pages of the dashboard, with their plans',
  options: { rounds: { about: 'visits of each page', default: 3 } },
  async run({ rounds = 3 }, ends) {
    if ((await majorVersion()) < 16) throw new CannotMeasureError('Plans without values need Postgres 16 or later.')
    const folder = await createBenchmarkFolder(ends)
    const password = randomBytes(16).toString('hex')
    const port = await preferPort('127.0.0.1', undefined)
    const postgres = await startPostgres({ dir: join(folder, 'postgres'), port, password, settings })
    ends.defer(() => postgres.stop())
    const url = await ensureDatabase(postgres.url, 'millrace', password)
    const client = new pg.Client({ connectionString: inDatabase(postgres.url, 'millrace') })
    await client.connect()
    ends.defer(() => client.end())
    await client.query('create extension pg_stat_statements')

    const stack = new Stack(join(folder, 'data'), await preferPort('127.0.0.1', undefined), {
      TOUR: 'true',
      OUTBOUND_ALLOWED: '127.0.0.1/32',
      DATABASE_URL: url,
    })
    ends.defer(async () => void (await stack.stop('SIGTERM')))
    const { app_url } = await stack.ready(180_000)
    await client.query('select pg_stat_statements_reset()')
    const tour = await endOfTour(stack)
    console.log(`  ${tour}`)
    const pages = await visitDashboard(url, new URL(app_url).origin, rounds)

    const { statements: found, totalMs, planningMs } = await listMostExpensive(client)
    await client.query('analyze')
    const explained = []
    for (const statement of found) explained.push({ ...statement, plan: await explain(client, statement) })
    return {
      comparisons: [
        {
          what: 'time of the most expensive statement, of all statements',
          unit: 'ms',
          limit: totalMs,
          product: found[0]?.totalMs ?? Number.NaN,
          demand: { atMost: 0.2 },
        },
      ],
      notes: [
        `${tour}; ${pages} pages of the dashboard, ${rounds} times each; statements took ${Math.round(totalMs)} ms in total, of which ${Math.round(planningMs)} ms planning`,
        ...found.map((statement, i) => describe(statement, i + 1, totalMs)),
        'the file contains the text and the plan of each statement',
      ],
      rounds: explained,
    }
  },
}

function inDatabase(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

async function endOfTour(stack: Stack): Promise<string> {
  for (;;) {
    const [line] = /tour +(done|ended without .*)$/m.exec(stack.output) ?? []
    if (line) return line.replace(/ +/, ': ')
    if (stack.process.exitCode !== null) throw new Error(`Millrace exited:\n${stack.output}`)
    await pause(500)
  }
}

/** Visits all pages as an owner of the organisation of the tour. Returns the number of pages. */
async function visitDashboard(url: string, origin: string, rounds: number): Promise<number> {
  const db = await openPool(url, 1)
  try {
    const org = await orgs.findByName(db, 'dev')
    if (!org) throw new Error('The tour has no organisation.')
    const { cookie } = await signedIn(db, origin, org.id, 'owner')
    const get = async (path: string) => {
      const reply = await fetch(origin + path, { headers: { cookie }, redirect: 'manual' })
      return await reply.text()
    }
    const paths = await visitPages(get)
    for (let round = 1; round < rounds; round++) for (const path of paths) await get(path)
    return paths.length
  } finally {
    await db.end()
  }
}

function describe(statement: Statement, place: number, allMs: number): string {
  const { query, calls, totalMs, meanMs, planMs, pages } = statement
  const text = query.replace(/\s+/g, ' ').slice(0, 110)
  const share = ((100 * totalMs) / allMs).toFixed(1)
  return `${place}. ${share} %, ${Math.round(totalMs)} ms, ${calls} calls of ${meanMs.toFixed(2)} ms (${planMs.toFixed(2)} ms planning), ${pages.toFixed(0)} pages each: ${text}`
}
