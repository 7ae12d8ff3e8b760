import { join } from 'node:path'
import { openPool } from '#sql/db.ts'
import type { Benchmark } from './benchmark.ts'
import { startChild } from './child.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { fillWiki, searchTexts } from './wiki/fill.ts'

/** Maximum time in milliseconds for 99 of 100 requests of a kind. */
const mostMs = 50

export const wiki: Benchmark = {
  summary: 'response time in ms of a search over 50,000 articles by frequency of its words, and of a page of the list',
  options: {
    articles: { about: 'published articles of 300 words', default: 50_000 },
    requests: { about: 'requests of each kind', default: 150 },
  },
  async run({ articles = 50_000, requests = 150 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const url = await createBenchmarkDatabase(folder, ends)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const begun = performance.now()
    const key = await fillWiki(db, articles)
    const filled = (performance.now() - begun) / 1000
    const server = startChild('./wiki/serve.ts', { url }, join(folder, 'ingress.log'))
    ends.defer(() => server.end())
    const { port } = await server.next<{ port: number }>()
    const headers = { authorization: `Bearer ${key}` }
    const get = async (path: string) => {
      const ask = () => fetch(`http://127.0.0.1:${port}/v1/wiki${path}`, { headers })
      // The server may have closed a connection that was idle while this process had no CPU.
      const reply = await ask().catch(ask)
      if (reply.status !== 200) throw new Error(`${path} returned ${reply.status}: ${await reply.text()}`)
      return (await reply.json()) as { data: unknown[]; next_cursor: string | null }
    }
    const timed = async (path: (n: number) => string) => {
      const figures: number[] = []
      let found = 0
      for (let n = -10; n < requests; n++) {
        const start = performance.now()
        const { data } = await get(path(Math.abs(n)))
        if (n < 0) continue
        figures.push(performance.now() - start)
        found += data.length
      }
      return { figures: figures.sort((a, b) => a - b), found: found / requests }
    }
    const rounds: Record<string, number[]> = {}
    const notes = [
      `${articles} articles of 300 words, created in ${filled.toFixed(0)} s; requests run one after another`,
    ]
    const kinds = Object.entries(searchTexts).map(
      ([kind, query]) => [kind, (n: number) => `/articles?q=${encodeURIComponent(query(n))}`] as const,
    )
    const { next_cursor } = await get('/articles?limit=100')
    const lists = [
      ['the list', () => '/articles'],
      ['a later page of the list', () => `/articles?cursor=${next_cursor}`],
      ['the list of a tag', (n: number) => `/articles?tag=w${(n % 50).toString(36)}`],
    ] as const
    for (const [kind, path] of [...kinds, ...lists]) {
      const { figures, found } = await timed(path)
      rounds[kind] = figures
      notes.push(
        `${kind}: p50 ${at(figures, 0.5)} ms, p99 ${at(figures, 0.99)} ms, ${found.toFixed(1)} results on average`,
      )
    }
    const worst = (of: readonly (readonly [string, unknown])[]) =>
      Math.max(...of.map(([kind]) => Number(at(rounds[kind] ?? [], 0.99))))
    const compare = (what: string, product: number) => ({
      what,
      unit: 'ms',
      limit: mostMs,
      product,
      demand: { atMost: 1 },
    })
    return {
      comparisons: [
        compare('p99 of the slowest kind of search, compared with its limit', worst(kinds)),
        compare('p99 of the slowest kind of list, compared with its limit', worst(lists)),
      ],
      notes,
      rounds,
    }
  },
}

const at = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1)
