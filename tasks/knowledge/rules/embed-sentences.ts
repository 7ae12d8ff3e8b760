import { Later } from '#lib/errors.ts'
import { createFairSlots } from '#lib/slots.ts'
import * as vectors from '#sql/knowledge/vectors.ts'
import type { Tools } from '../../pools.ts'
import type { Attempt } from '../../queue/task.ts'
import { listChunkSentences } from './chunk-sentences.ts'
import { filterEnglish } from './english.ts'
import { embedTexts } from './meaning.ts'

/** Number of chunks per transaction, up to 128 sentences or about a second of work. */
const atOnce = 8

/** Time in milliseconds after which a source gives other sources a turn. */
const turnMs = 20_000

/** Delay in milliseconds until a source continues, or until it tries again if another source has its turn. */
const [pauseMs, waitMs] = [200, () => 300 + Math.random() * 1_200]

/** One source at a time per worker, so that questions find free places in the pool. */
const turns = createFairSlots({ slots: 1, slotsOfOne: 1 })

/**
 * Creates vectors of the English sentences of a source with the embedded model. Throws `Later` if another source has
 * its turn, or to continue after its own.
 */
export async function embedSentences(
  source: vectors.Unembedded,
  model: string,
  { db, llm: { meaning }, signal }: Attempt & Tools['llm'],
): Promise<void> {
  if (!meaning) return
  using turn = turns.tryTake(source.org_id)
  if (!turn) throw new Later(waitMs(), 'another source is being embedded')
  const end = performance.now() + turnMs
  for (let place = 0; ; ) {
    const chunks = await vectors.listUnembeddedTexts(db, source, model, place, atOnce)
    const last = chunks.at(-1)
    if (!last) break
    const english = await filterEnglish(chunks, signal)
    const sentences = english.flatMap(({ place, headings, text }) =>
      listChunkSentences(source.title, headings, text).map((one) => ({ ...one, place })),
    )
    const made = await embedTexts(
      meaning,
      'statement',
      sentences.map(({ read }) => read),
      signal,
    )
    const placed = chunks.map((chunk) => ({
      place: chunk.place,
      sentences: sentences.flatMap(({ place, start, length }, i) => {
        const vector = made[i]
        return place === chunk.place && vector ? [{ start, length, vector }] : []
      }),
    }))
    if (!(await vectors.put(db, source, model, placed))) return
    place = last.place + 1
    if (performance.now() > end) throw new Later(pauseMs, 'other sources have their turn')
  }
  await vectors.markEmbedded(db, source, model)
}
