import { z } from 'zod'
import { Permanent, Rejected } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { recordFailure } from '#sql/knowledge/lacking.ts'
import * as vectors from '#sql/knowledge/vectors.ts'
import type { Failure } from '../ai/rules/charged.ts'
import { type ChargeMeans, runInSeat } from '../ai/rules/seated.ts'
import { task } from '../queue/task.ts'
import { embedSentences } from './rules/embed-sentences.ts'
import { createVectors, getEmbeddingModel, getUpstreamModel } from './rules/vectors-of.ts'

const atOnce = 32

/**
 * Creates the vectors of a source. Meanwhile, the source can be found by its words. Stored vectors are kept, so a retry
 * continues. If the text is replaced, the new text gets no vectors of the old text.
 */
export const embed = task({
  name: 'knowledge/embed',
  pool: 'llm',
  payload: z.object({ sourceId: Id }),
  attempts: 8,
  timeout: 10 * 60_000,
  async run({ sourceId }, tools) {
    const model = getEmbeddingModel(tools.llm)
    if (model === undefined) return
    const source = await vectors.findUnembedded(tools.db, sourceId, model)
    if (!source) return
    if (getUpstreamModel(tools.llm) === undefined) return await embedSentences(source, model, tools)
    await runInSeat(tools, source.org_id, (means) => embedChunks(source, model, means), 'background')
  },
  async giveUp({ sourceId }, _error, { db }) {
    await recordFailure(db, sourceId)
  },
})

async function embedChunks(source: vectors.Unembedded, model: string, means: ChargeMeans): Promise<void> {
  const { db, log } = means
  const refusals: Failure[] = []
  let isPlaced = false
  for (let place = 0; ; ) {
    const texts = await vectors.listUnembeddedTexts(db, source, model, place, atOnce)
    const last = texts.at(-1)
    if (!last) break
    const read = texts.map(({ headings, text }) => [source.title, ...headings, text].join('\n'))
    const made = await vectorsOfEach(read, source.org_id, means, refusals)
    const placed = texts.flatMap(({ place }, i) => {
      const vector = made[i]
      return vector ? [{ place, whole: vector }] : []
    })
    isPlaced ||= placed.length > 0
    if (placed.length < texts.length)
      log.warn({ source_id: source.id, place }, 'chunks have no vectors and are found only by their words')
    if (!(await vectors.put(db, source, model, placed))) return
    place = last.place + 1
  }
  // If every text is refused, the texts are not the cause.
  if (refusals[0] && !isPlaced) throw errorOf(refusals[0])
  await vectors.markEmbedded(db, source, model)
}

/** Returns the vectors of texts. If one text is too long or refused, returns the vectors of the others. */
async function vectorsOfEach(
  texts: readonly string[],
  orgId: string,
  means: ChargeMeans,
  refusals: Failure[],
): Promise<readonly (Float32Array | undefined)[]> {
  const made = await createVectors(texts, orgId, means)
  if ('vectors' in made) return made.vectors
  const { failure } = made
  const isRefused = failure.request_fault?.kind === 'refused'
  if (failure.code !== 'input_too_long' && !isRefused) throw errorOf(failure)
  if (texts.length === 1) {
    if (isRefused) refusals.push(failure)
    return [undefined]
  }
  const half = Math.ceil(texts.length / 2)
  return [
    ...(await vectorsOfEach(texts.slice(0, half), orgId, means, refusals)),
    ...(await vectorsOfEach(texts.slice(half), orgId, means, refusals)),
  ]
}

/** Returns the error that ends an attempt. Some failures are retried, but an exhausted budget is not. */
function errorOf({ code, upstream_status, retryable }: Failure): Error {
  const message = `Vectors could not be created: ${code}${upstream_status === null ? '' : ` (${upstream_status})`}.`
  if (code === 'token_budget_exceeded') return new Rejected(message)
  return retryable ? new Error(message) : new Permanent(message)
}
