import { describe } from '../errors.ts'
import { log } from '../log.ts'
import { threadPool } from '../threads.ts'
import type { work } from './detect-thread.ts'

/** Loading takes 0.2 s and blocks an event loop, so the data is in a thread. A text takes 0.03 ms (measured). */
const threads = threadPool<typeof work>(new URL('./detect-thread.ts', import.meta.url), {
  ...{ threads: 1, idleSeconds: 60, finishesAborted: true, seconds: 10, megabytes: 96 },
})

/** Number of UTF-16 units of a text that count. The detector reads about 350 bytes. */
const readLength = 1_000

/** A text needs 16 letters, three words, or letters of another script. Shorter texts are valid in many languages. */
const fewest = { letters: 16, words: 3 }

/** Maximum number of texts per batch. */
const batchSize = 1_000

/**
 * Returns the language of each text as an ISO 639-1 code, such as `en`. `null` if the text is short or no language is
 * clear. 60 languages are known. Norwegian is `no`. If the thread fails, the languages are `null`. Rejects only with the
 * signal’s reason.
 */
export async function detectLanguages(texts: readonly string[], signal?: AbortSignal): Promise<(string | null)[]> {
  const beginnings = texts.map((text) => text.slice(0, readLength).toWellFormed())
  const found = new Map<string, string | null>()
  const asked = [...new Set(beginnings)].filter(isLongEnough)
  for (let from = 0; from < asked.length; from += batchSize) {
    const batch = asked.slice(from, from + batchSize)
    const languages = await detectBatch(batch, signal)
    for (const [i, text] of batch.entries()) found.set(text, languages[i] ?? null)
  }
  return beginnings.map((text) => found.get(text) ?? null)
}

async function detectBatch(texts: string[], signal: AbortSignal | undefined): Promise<(string | null)[]> {
  try {
    return await threads.run(texts, signal)
  } catch (error) {
    signal?.throwIfAborted()
    log.warn({ err: describe(error) }, 'could not detect languages')
    return texts.map(() => null)
  }
}

/** Returns the language of a text. See `detectLanguages`. */
export const detectLanguage = async (text: string, signal?: AbortSignal): Promise<string | null> =>
  (await detectLanguages([text], signal))[0] ?? null

function isLongEnough(text: string): boolean {
  const words = text.match(/\p{L}[\p{L}\p{M}]*/gu) ?? []
  if (words.length >= fewest.words) return true
  const letters = words.join('')
  return letters.length >= fewest.letters || (letters.length > 1 && !/\p{Script=Latin}/u.test(letters))
}
