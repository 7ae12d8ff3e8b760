import { newId } from '#lib/ids.ts'
import { type DatabasePool, openPool, sql } from '#sql/db.ts'
import { replaceCompanies } from '#tasks/erp/rules/replace-companies.ts'
import { searchCompanies } from '../../../ingress/erp/search.ts'
import { type Benchmark, median } from './benchmark.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'

const most = { exact: 1, prefix: 5, fuzzy: 60, broad: 60 }

type Kind = keyof typeof most

interface Measurement {
  p50: number
  p99: number
  /** CPU time in milliseconds per search, of the database and this process. */
  cpu: number
}

export const erp: Benchmark = {
  summary: 'duration of company searches by code, by name prefix, by misspelt names and by a common word',
  options: {
    companies: { about: 'companies of the register', default: 500_000 },
    searches: { about: 'searches of each kind per round', default: 100 },
    rounds: { about: 'rounds', default: 3 },
  },
  async run({ companies = 500_000, searches = 100, rounds = 3 }, ends) {
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const took = await fill(db, companies)
    console.log(`  ${companies} companies imported in ${took.toFixed(1)} s`)
    const asked: Record<Kind, (i: number) => string> = {
      exact: codeOf,
      prefix: (i) => nameOf(i).slice(0, 4),
      fuzzy: misspelt,
      broad: (i) => commonWord(i),
    }
    const found = Object.fromEntries(Object.keys(asked).map((kind) => [kind, []])) as unknown as Record<
      Kind,
      Measurement[]
    >
    for (let round = 0; round < rounds; round++) {
      for (const kind of Object.keys(asked) as Kind[]) {
        const measured = await measure(db, searches, (i) => asked[kind]((i * 7919 + round * 104_729) % companies))
        found[kind].push(measured)
        const { p50, p99, cpu } = measured
        console.log(`  ${kind}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms, ${cpu.toFixed(2)} ms of CPU each`)
      }
    }
    const of = (kind: Kind, fact: keyof Measurement) => median(found[kind].map((one) => one[fact]))
    const compared = { exact: 'p50', prefix: 'p50', fuzzy: 'p99', broad: 'p99' } as const
    return {
      comparisons: (Object.keys(most) as Kind[]).map((kind) => ({
        what: `${compared[kind]} of ${kind} searches`,
        unit: 'ms',
        limit: most[kind],
        product: of(kind, compared[kind]),
        demand: { atMost: 1 },
      })),
      notes: [
        `${companies} companies; medians of ${rounds} rounds of ${searches} sequential searches`,
        `CPU of a search, the database's and ours: ${(Object.keys(most) as Kind[]).map((kind) => `${kind} ${of(kind, 'cpu').toFixed(2)} ms`).join(', ')}`,
        `imported in ${took.toFixed(1)} s, ${Math.round(companies / took)} companies a second`,
      ],
      rounds: found,
    }
  },
}

async function measure(db: DatabasePool, searches: number, textOf: (i: number) => string): Promise<Measurement> {
  const times: number[] = []
  const before = await measureTreeCpu(process.pid)
  for (let i = 0; i < searches; i++) {
    const begun = performance.now()
    const page = await searchCompanies(db, { q: textOf(i), filter: {}, place: undefined, limit: 50 })
    times.push(performance.now() - begun)
    if (page.found.length === 0) throw new Error(`“${textOf(i)}” has no results.`)
  }
  const cpu = cpuSum(subtractCpu(before, await measureTreeCpu(process.pid)))
  const sorted = times.toSorted((a, b) => a - b)
  return { p50: median(times), p99: sorted[Math.ceil(searches * 0.99) - 1] ?? 0, cpu: (cpu * 1000) / searches }
}

async function fill(db: DatabasePool, companies: number): Promise<number> {
  const begun = performance.now()
  await replaceCompanies(db, {
    importId: newId(),
    profile: 'generic',
    register: 'bench',
    own: db.transaction.bind(db),
    options: { jurisdiction: 'xa', partial: false, anyway: false },
    bytes: lines(companies),
  })
  await db.query(sql.unsafe`analyze erp.companies`)
  return (performance.now() - begun) / 1000
}

async function* lines(companies: number): AsyncGenerator<Buffer> {
  yield Buffer.from('code,name,city,registered_at\n')
  for (let at = 0; at < companies; at += 10_000) {
    const some = Array.from({ length: Math.min(10_000, companies - at) }, (_, i) => at + i)
    yield Buffer.from(some.map((i) => `${codeOf(i)},${nameOf(i)} Ltd,Town ${i % 300},2001-02-03\n`).join(''))
  }
}

const codeOf = (i: number): string => String(10_000_000 + i)

/** Returns a pseudo-random number from 0 to 1 that depends only on `i` and `salt`. */
function chance(i: number, salt: number): number {
  let x = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d)
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39)
  return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32
}

const syllables =
  'ba be bo da de di fa fo ga ge ha he ja ka ke ki la le lo ma me mi na ne no pa pe ra re ri sa se so ta te ti va ve'.split(
    ' ',
  )

function word(number: number): string {
  const length = 2 + (number % 3)
  return Array.from({ length }, (_, k) => syllables[Math.floor(chance(number, 50 + k) * syllables.length)]).join('')
}

const commonWord = (i: number): string => word(30_000 + (i % 8))

/** Names combine words that thousands of companies share with rarer words. The first word is in one name in 20. */
const nameOf = (i: number): string => {
  const seldom = (salt: number) => word(Math.floor(20_000 * chance(i, salt) ** 2))
  const common = chance(i, 9) < 0.4 ? ` ${commonWord(Math.floor(8 * chance(i, 8)))}` : ''
  return `${seldom(1)} ${seldom(2)}${common}`
}

function misspelt(i: number): string {
  const name = nameOf(i)
  const at = 1 + Math.floor(chance(i, 3) * (name.length - 3))
  return `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`
}
