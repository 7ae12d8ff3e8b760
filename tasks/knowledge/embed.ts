import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as vectors from '#sql/knowledge/vectors.ts'
import { task } from '../queue/task.ts'

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
      const made = await embedder.embed(
        texts.map(({ headings, text }) => [source.title, ...headings, text].join('\n')),
        source.org_id,
        signal,
      )
      if (!made) log.warn({ source_id: sourceId, place }, 'chunks have no vectors: they are found by their words')
      const placed = (made ?? []).flatMap((vector, i) => {
        const text = texts[i]
        return text ? [{ place: text.place, vector }] : []
      })
      if (!(await vectors.put(db, source, model, placed))) return
      place = last.place + 1
    }
    await vectors.finish(db, source, model)
  },
})
