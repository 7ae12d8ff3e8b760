import { newId } from '#lib/ids.ts'
import { createOrg } from '#sql/account/setup.ts'
import { openPool, sql } from '#sql/db.ts'
import { find } from '#sql/knowledge/find.ts'
import { save } from '#sql/knowledge/sources.ts'
import type { Benchmark } from './benchmark.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { handbook, questions } from './knowledge/handbooks.ts'

/** Maximum time in milliseconds for 99 of 100 questions. */
const mostMs = 50

/** Minimum share of questions whose passage is among the first three. */
const leastFound = 0.9

export const knowledge: Benchmark = {
  summary: 'time in ms to find the passages for a question, and how often the right passage is in the first three',
  options: {
    documents: { about: 'documents of 40,000 characters of one bot', default: 200 },
    neighbours: { about: 'other bots with as many documents each', default: 2 },
    rounds: { about: 'repetitions of each of 60 questions', default: 5 },
  },
  async run({ documents = 200, neighbours = 2, rounds = 5 }, ends) {
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const { org } = await createOrg(db, 'bench', 'unlimited', {})
    const bots = Array.from({ length: neighbours + 1 }, () => newId())
    const begun = performance.now()
    const ids: string[] = []
    for (let i = 0; i < documents; i++) {
      for (const collection_id of bots) {
        const id = newId()
        await save(db, { id, org_id: org.id, collection_id, url: null, ...handbook(i) })
        if (collection_id === bots[0]) ids.push(id)
      }
    }
    const kept = (performance.now() - begun) / (documents * bots.length)
    await db.query(sql.typeAlias('void')`analyze knowledge.postings, knowledge.chunks, knowledge.sources`)
    const ask = (question: string) => find(db, { collectionId: bots[0] ?? '', question, most: 3 })
    const figures: number[] = []
    let found = 0
    const asked = questions(documents)
    for (let round = 0; round < rounds; round++) {
      for (const { question, fact, handbook: number } of asked) {
        const start = performance.now()
        const passages = await ask(question)
        figures.push(performance.now() - start)
        if (passages.some((one) => one.source_id === ids[number] && one.text.includes(fact))) found++
      }
    }
    const long = asked
      .map(({ question }) => question)
      .join(' ')
      .repeat(15)
    const start = performance.now()
    await ask(long)
    const longMs = performance.now() - start
    const sorted = figures.toSorted((a, b) => a - b)
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
    return {
      comparisons: [
        {
          what: 'p99 of a question, compared with its limit',
          unit: 'ms',
          limit: mostMs,
          product: p99,
          demand: { atMost: 1 },
        },
        {
          what: 'share of questions whose passage is in the first three',
          unit: '',
          limit: asked.length,
          product: found / rounds,
          demand: { atLeast: leastFound },
        },
      ],
      notes: [
        `${documents} documents for each of ${bots.length} bots, ${kept.toFixed(0)} ms to store one; search by words only`,
        `p50 ${(sorted[sorted.length >> 1] ?? Number.NaN).toFixed(1)} ms; a question of ${long.split(' ').length} words: ${longMs.toFixed(1)} ms`,
      ],
      rounds: { figures: sorted },
    }
  },
}
