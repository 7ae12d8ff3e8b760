import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as vectors from '#sql/knowledge/vectors.ts'
import { task } from '../queue/task.ts'
import type { Embedder } from './engine.ts'

/** Chunks that a model is given at once. */
const atOnce = 32

/**
 * Gets the vectors of a source, which is found by its words meanwhile. What it has written stays: an attempt goes on where another has
 * ended, and a text that was replaced meanwhile gets none of the former one's.
 */
export const embed = task({
  name: 'knowledge/embed',
  pool: 'llm',
  payload: z.object({ sourceId: Id }),
  attempts: 8,
  timeout: 10 * 60_000,
  async run({ sourceId }, { db, embedder, signal, log }) {
    if (!embedder) return
    const { model } = embedder
    const source = await vectors.lacking(db, sourceId, model)
    if (!source) return
    for (let place = 0; ; ) {
      const texts = await vectors.textsFrom(db, source, model, place, atOnce)
      const last = texts.at(-1)
      if (!last) break
      const read = texts.map(({ headings, text }) => [source.title, ...headings, text].join('\n'))
      const made = await vectorsOf(embedder, read, source.org_id, signal)
      const placed = texts.flatMap(({ place }, i) => {
        const vector = made[i]
        return vector ? [{ place, vector }] : []
      })
      if (placed.length < texts.length)
        log.warn({ source_id: sourceId, place }, 'chunks have no vectors: they are found by their words')
      if (!(await vectors.put(db, source, model, placed))) return
      place = last.place + 1
    }
    await vectors.finish(db, source, model)
  },
})

/** The vectors of texts: where one is too long for the model, those of all others. */
async function vectorsOf(
  embedder: Embedder,
  texts: readonly string[],
  orgId: string,
  signal: AbortSignal,
): Promise<readonly (Float32Array | undefined)[]> {
  const made = await embedder.embed(texts, orgId, signal)
  if (made) return made
  if (texts.length === 1) return [undefined]
  const half = Math.ceil(texts.length / 2)
  return [
    ...(await vectorsOf(embedder, texts.slice(0, half), orgId, signal)),
    ...(await vectorsOf(embedder, texts.slice(half), orgId, signal)),
  ]
}
