import { newId } from '#lib/ids.ts'
import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import { LanguageEngineError, type MeaningModel } from '#tasks/ai/engine.ts'
import type { work } from './thread.ts'

export type ClosableMeaningModel = MeaningModel & { close(): Promise<void> }

/** One thread with the model uses about 250 MB outside the heap (measured). It exits after five minutes without work. */
const limits = { threads: 1, idleSeconds: 300, finishesAborted: true, seconds: 30, megabytes: 128, waiting: 500 }

/** Maximum size of a batch. A batch takes up to half a second, and one long text up to a second. */
const batch = { texts: 16, characters: 2_048 }

/** Owner of the batches of all large calls. They share one turn, so that a question waits for one batch only. */
const largeCalls = 'large'

/** Maximum number of UTF-16 units of a text, about 1,000 tokens. The rest is ignored. */
const longestText = 4_096

/**
 * Creates the embedded sentence model: Universal Sentence Encoder Lite for English. Its thread starts with the first
 * text. Concurrent calls take turns after each batch. All calls with several batches share a turn, so they do not delay a
 * question, however many they are.
 */
export function createMeaningModel(idleSeconds = limits.idleSeconds): ClosableMeaningModel {
  const threads = threadPool<typeof work>(new URL('./thread.ts', import.meta.url), { ...limits, idleSeconds })
  return {
    name: 'use-lite-en',
    language: 'en',
    dimensions: 512,
    async embed(texts, signal) {
      const batches = [...listBatches(texts)]
      const caller = batches.length > 1 ? largeCalls : newId()
      const vectors: Float32Array[] = []
      for (const part of batches) {
        try {
          vectors.push(...(await threads.run(part, signal, caller)))
        } catch (error) {
          signal.throwIfAborted()
          throw toEngineError(error)
        }
      }
      return vectors
    },
    close: () => threads.close(),
  }
}

function* listBatches(texts: readonly string[]): Generator<string[]> {
  let current: string[] = []
  let characters = 0
  for (const text of texts) {
    const read = text.slice(0, longestText)
    if (current.length === batch.texts || (current.length > 0 && characters + read.length > batch.characters)) {
      yield current
      current = []
      characters = 0
    }
    current.push(read)
    characters += read.length
  }
  if (current.length > 0) yield current
}

function toEngineError(cause: unknown): LanguageEngineError {
  const why = cause instanceof ThreadLimitError ? cause.message : 'It failed.'
  const error = new LanguageEngineError('upstream_error', `The embedded sentence model failed: ${why}`, {
    retryable: true,
    engine: 'embedded',
  })
  return Object.assign(error, { cause })
}
