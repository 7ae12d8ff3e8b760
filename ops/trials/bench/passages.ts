import { newId } from '#lib/ids.ts'
import { createOrg } from '#sql/account/setup.ts'
import { openPool, sql } from '#sql/db.ts'
import { find } from '#sql/knowledge/find.ts'
import { save, table } from '#sql/knowledge/sources.ts'
import { put } from '#sql/knowledge/vectors.ts'
import { type Benchmark, median } from './benchmark.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { handbook, questions } from './knowledge/handbooks.ts'

/** Maximum time in milliseconds for 99 of 100 questions. */
const mostMs = 150

const [model, dimensions] = ['bench', 512]

export const passages: Benchmark = {
  summary: 'time in ms to search 10,000 passages by words and by the vectors of their sentences',
  options: {
    passages: { about: 'passages of one collection', default: 10_000 },
    sentences: { about: 'vectors per passage', default: 4 },
    rounds: { about: 'questions', default: 100 },
  },
  async run({ passages = 10_000, sentences = 4, rounds = 100 }, ends) {
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const { org } = await createOrg(db, 'bench', 'unlimited', {})
    const collectionId = newId()
    let stored = 0
    let documents = 0
    for (; stored < passages; documents++) {
      const id = newId()
      await save(db, { id, org_id: org.id, collection_id: collectionId, url: null, ...handbook(documents) })
      const source = await db.one(
        sql.type(table.Row.pick({ id: true, org_id: true, revision: true, title: true, chunks: true }))`
        select id, org_id, revision, title, chunks from knowledge.sources where id = ${id}`,
      )
      const ofChunk = (place: number) => ({
        place,
        sentences: Array.from({ length: sentences }, (_, i) => ({ start: i * 20, length: 20, vector: randomVector() })),
      })
      await put(
        db,
        source,
        model,
        Array.from({ length: source.chunks }, (_, place) => ofChunk(place)),
      )
      stored += source.chunks
    }
    await db.query(sql.typeAlias('void')`
      vacuum analyze knowledge.postings, knowledge.chunks, knowledge.sources, knowledge.vectors`)
    const asked = questions(documents)
    const figures: { words: number; both: number }[] = []
    for (let round = -5; round < rounds; round++) {
      const question = asked[Math.abs(round) % asked.length]?.question ?? ''
      const embedded = { model, vector: randomVector() }
      const words = await timed(() => find(db, { collectionId, question, most: 5 }))
      const both = await timed(() => find(db, { collectionId, question, embedded, most: 5 }))
      if (round >= 0) figures.push({ words, both })
    }
    const both = figures.map((figure) => figure.both).toSorted((a, b) => a - b)
    return {
      comparisons: [
        {
          what: `p99 of a search in ${stored} passages, compared with its limit`,
          unit: 'ms',
          limit: mostMs,
          product: both[Math.floor(both.length * 0.99)] ?? Number.NaN,
          demand: { atMost: 1 },
        },
      ],
      notes: [
        `${stored} passages of ${documents} documents with ${stored * sentences} vectors; the time of the question’s vector is not included`,
        `p50 ${median(both).toFixed(1)} ms by words and vectors, ${median(figures.map(({ words }) => words)).toFixed(1)} ms by words only`,
      ],
      rounds: figures,
    }
  },
}

const randomVector = (): Float32Array => Float32Array.from({ length: dimensions }, () => Math.random() - 0.5)

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
