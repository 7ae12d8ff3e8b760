import { threadPool } from '../threads.ts'
import type { work } from './detect-thread.ts'

/** Loading takes 0.2 s and blocks an event loop, so the data is in a thread. A text takes 0.03 ms (measured). */
const threads = threadPool<typeof work>(new URL('./detect-thread.ts', import.meta.url), {
  ...{ threads: 1, idleSeconds: 60, finishesAborted: true, seconds: 10, megabytes: 96 },
})

/** Number of UTF-16 units of a text that count. The detector reads about 350 bytes. */
const readLength = 1_000

/** Minimum number of letters. Many short texts are valid in several languages. For example, "menu". */
const fewestLetters = 16

/** Maximum number of texts per batch. */
const batchSize = 1_000

/**
 * Returns the language of each text as an ISO 639-1 code, such as `en`. `null` if the text is short or no language is
 * clear. 60 languages are known. Norwegian is `no`. Never rejects because of a text.
 */
export async function detectLanguages(texts: readonly string[], signal?: AbortSignal): Promise<(string | null)[]> {
  const beginnings = texts.map((text) => text.slice(0, readLength).toWellFormed())
  const found = new Map<string, string | null>()
  const asked = [...new Set(beginnings)].filter((text) => countLetters(text) >= fewestLetters)
  for (let from = 0; from < asked.length; from += batchSize) {
    const batch = asked.slice(from, from + batchSize)
    const languages = await threads.run(batch, signal)
    for (const [i, text] of batch.entries()) found.set(text, languages[i] ?? null)
  }
  return beginnings.map((text) => found.get(text) ?? null)
}

/** Returns the language of a text. See `detectLanguages`. */
export const detectLanguage = async (text: string, signal?: AbortSignal): Promise<string | null> =>
  (await detectLanguages([text], signal))[0] ?? null

const countLetters = (text: string): number => text.match(/\p{L}/gu)?.length ?? 0
