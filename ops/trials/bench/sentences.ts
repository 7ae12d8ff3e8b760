import { encode } from '../../../workers/llm/meaning/encoder.ts'
import { createMeaningModel } from '../../../workers/llm/meaning/model.ts'
import { type Benchmark, median } from './benchmark.ts'

/** Number of texts per batch, as in the product. */
const batch = 16

export const sentences: Benchmark = {
  summary: 'sentence vectors per second, compared with the bare model in this thread',
  options: {
    texts: { about: 'sentences of a round', default: 256 },
    rounds: { about: 'rounds', default: 5 },
  },
  async run({ texts = 256, rounds = 5 }, ends) {
    const model = createMeaningModel()
    ends.defer(() => model.close())
    const never = new AbortController().signal
    const given = Array.from({ length: texts }, (_, i) => `The customer asked about parcel ${i}, which arrived late.`)
    const bare = async () => {
      for (let from = 0; from < texts; from += batch) await encode(given.slice(from, from + batch))
    }
    const ours = async () => void (await model.embed(given, never))
    const question = async () => void (await model.embed(['How do I reset my password?'], never))
    await Promise.all([bare(), ours()])
    const found: { bare: number; ours: number; question: number }[] = []
    for (let round = 0; round < rounds; round++) {
      found.push({
        bare: texts / (await timed(bare)),
        ours: texts / (await timed(ours)),
        question: await timed(question),
      })
    }
    const questionMs = median(found.map((round) => round.question)) * 1_000
    return {
      comparisons: [
        {
          what: 'Vectors of sentences',
          unit: '/s',
          limit: median(found.map((round) => round.bare)),
          product: median(found.map((round) => round.ours)),
          demand: { atLeast: 0.7 },
        },
      ],
      notes: [`medians of ${rounds} rounds of ${texts} sentences; one question takes ${questionMs.toFixed(0)} ms`],
      rounds: found,
    }
  },
}

/** Returns the time of the work in seconds. */
async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1_000
}
