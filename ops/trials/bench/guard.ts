import { join } from 'node:path'
import { newId } from '#lib/ids.ts'
import * as setup from '#sql/account/setup.ts'
import { openPool } from '#sql/db.ts'
import * as siteKeys from '#sql/guard/site-keys.ts'
import * as sites from '#sql/guard/sites.ts'
import * as stock from '#sql/guard/stock.ts'
import { answerOf, outputsOf } from '../../../test/guard/solver.ts'
import { mintPuzzle } from '../../../workers/guard/puzzle.ts'
import { type Benchmark, median } from './benchmark.ts'
import { runChild, startChild } from './child.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import type { LoadSettings, Phases } from './guard/load.ts'
import type { Work, WorkSettings } from './guard/work.ts'
import type { Comparison } from './report.ts'

const steady = { rate: 200, seconds: 8 }

export const guard: Benchmark = {
  summary: 'cost of creating, issuing, checking and verifying puzzles, compared with plain scrypt and altcha-lib',
  options: {
    seconds: { about: 'seconds per measurement of minting', default: 3 },
    rounds: { about: 'rounds of minting and solving', default: 2 },
    visitors: { about: 'visitors that solve a challenge', default: 10_000 },
  },
  async run({ seconds = 3, rounds = 2, visitors = 10_000 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const url = await createBenchmarkDatabase(folder, ends)
    const found: Record<WorkSettings['side'], Work[]> = { bare: [], product: [], altcha: [] }
    for (let round = 0; round < rounds; round++) {
      for (const side of ['bare', 'product', 'altcha'] as const) {
        found[side].push(await runChild<Work>('guard/work.ts', { side, url, seconds } satisfies WorkSettings))
        console.log(`  ${side}: ${found[side].at(-1)?.mints.toFixed(1)} puzzles per second of CPU`)
      }
    }
    const server = startChild('./guard/serve.ts', { url }, join(folder, 'ingress.log'))
    ends.defer(() => server.end())
    const { port } = await server.next<{ port: number }>()
    const settings = { port, visitors, ...steady, ...(await prepare(url, visitors)) }
    const phases = await runChild<Phases>('guard/load.ts', settings satisfies LoadSettings)
    return {
      comparisons: compare(found, phases),
      notes: notesOf(found, phases),
      rounds: { found: withoutTries(found), phases },
    }
  },
}

/** Creates a site, a server key, and puzzles for every visitor, all with the same known answer. */
async function prepare(url: string, visitors: number) {
  const db = await openPool(url, 1)
  try {
    const { org, keys } = await setup.createOrg(db, 'bench', 'unlimited', {
      main: { prefix: 'bt_live_', scopes: ['guard:verify'] },
    })
    const site = { id: newId(), org_id: org.id, name: 'bench', origins: ['https://bench.example'] }
    const siteKey = await siteKeys.createKey(db, site)
    const policy = {
      min_tier: 'normal',
      max_tier: 'normal',
      noscript: false,
      sha256: true,
      rate_per_minute: 100_000,
    } as const
    await sites.insert(db, { ...site, site_key: siteKey, policy })
    await stock.removeOld(db, new Date(Date.now() + 60_000))
    const puzzle = mintPuzzle()
    await stock.insertMany(db, Array(visitors + 100).fill(puzzle))
    return { siteKey, serverKey: keys.main, answer: answerOf(outputsOf(puzzle)) }
  } finally {
    await db.end()
  }
}

type WorkBySide = Record<WorkSettings['side'], Work[]>

const of = (works: readonly Work[], fact: 'mints' | 'check' | 'solve') => median(works.map((work) => work[fact]))

/** Returns mean, coefficient of variation, and the wait of one visitor in a hundred as a factor of the mean. */
function spread(works: readonly Work[]) {
  const tries = works.flatMap(({ tries }) => tries).toSorted((a, b) => a - b)
  const mean = tries.reduce((sum, one) => sum + one, 0) / tries.length
  const variance = tries.reduce((sum, one) => sum + (one - mean) ** 2, 0) / tries.length
  return { mean, cv: Math.sqrt(variance) / mean, tail: (tries[Math.floor(tries.length * 0.99)] ?? Number.NaN) / mean }
}

function compare({ bare, product, altcha }: WorkBySide, { lookUp, steady, complete, verify }: Phases): Comparison[] {
  const [ours, theirs] = [spread(product), spread(altcha)]
  return [
    {
      what: 'puzzles created per second of CPU, compared with scryptSync',
      unit: '/s',
      limit: of(bare, 'mints'),
      product: of(product, 'mints'),
      demand: { atLeast: 0.9 },
    },
    {
      what: 'CPU of the ingress per answered challenge',
      unit: 'ms',
      limit: 1,
      product: complete.ingress,
      demand: { atMost: 1 },
    },
    { what: 'tokens verified', unit: '/s', limit: 3_000, product: verify.perSecond, demand: { atLeast: 1 } },
    {
      // The budget of two cores for each of 3,000 per second, measured without other processes.
      what: 'CPU of a verified token, with Postgres’s',
      unit: 'ms',
      limit: 2 / 3,
      product: verify.ingress + verify.postgres,
      demand: { atMost: 1 },
    },
    {
      what: 'p99 of a challenge at 200/s, compared with a lookup',
      unit: 'ms',
      limit: lookUp.p99,
      product: steady.p99,
      demand: { productAtMost: 9 },
    },
    {
      what: 'CPU to check an answer, compared with altcha-lib',
      unit: 'µs',
      limit: of(altcha, 'check'),
      product: of(product, 'check'),
      demand: { atMost: 1 },
    },
    { what: 'p99 / mean of solving', unit: '', limit: 1.5, product: ours.tail, demand: { atMost: 1 } },
    {
      what: 'variation of solving, compared with altcha-lib',
      unit: '',
      limit: theirs.cv,
      product: ours.cv,
      demand: { atMost: 0.5 },
    },
  ]
}

function notesOf({ product, altcha }: WorkBySide, phases: Phases): string[] {
  const noteOf = (name: string, works: Work[], about: string) => {
    const { mean, cv, tail } = spread(works)
    const mint = 1000 / of(works, 'mints')
    return `${name}, ${about}: created in ${mint.toFixed(2)} ms of CPU, checked in ${of(works, 'check').toFixed(1)} µs, solved in ${of(works, 'solve').toFixed(0)} ms of CPU (${mean.toFixed(0)} tries), variation ${cv.toFixed(2)}, p99/mean ${tail.toFixed(2)}`
  }
  return [
    noteOf('ours', product, 'tier normal: 8 puzzles of 64 numbers, scrypt 1 MiB'),
    noteOf('altcha-lib', altcha, 'the same scrypt with a known counter below 520, so as many tries'),
    ...Object.entries(phases).map(
      ([name, { perSecond, p50, p99, ingress, postgres, strange, first }]) =>
        `${name}: ${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; CPU per request: ingress ${ingress.toFixed(2)} ms, Postgres ${postgres.toFixed(2)} ms${strange > 0 ? `; ${strange} responses were unexpected. First: ${first}` : ''}`,
    ),
  ]
}

const withoutTries = (found: WorkBySide) =>
  Object.fromEntries(Object.entries(found).map(([side, works]) => [side, works.map(({ tries: _, ...work }) => work)]))
