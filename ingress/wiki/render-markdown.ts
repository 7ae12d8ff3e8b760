import { Problem, unavailable } from '#lib/errors.ts'
import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import { escapeAsText, type Plain, renderMarkdown, toPlainText } from './markdown.ts'
import type { work } from './markdown-thread.ts'

/**
 * Maximum length in characters of a text that is rendered in the main thread. Longer texts are rendered in a thread
 * pool, because some take quadratic time.
 */
const atOnce = 4_096

/**
 * Limits of the thread pool. An organisation can use half of the threads, so its slow articles do not delay the
 * articles of others.
 */
const limits = { threads: 2, seconds: 5, megabytes: 128, waiting: 1_000, ofOne: { threads: 1, waiting: 100 } }
const threads = threadPool<typeof work>(new URL('./markdown-thread.ts', import.meta.url), limits)

/**
 * Renders Markdown as safe HTML. If this takes too long, returns plain text. Throws 429 if too many texts of the
 * organisation are waiting, and 503 if too many texts are waiting in total.
 */
export async function toHtml(orgId: string, text: string, notes: ReadonlyMap<string, number>): Promise<string> {
  if (text.length <= atOnce) return renderMarkdown(text, notes)
  const html = await inThread(orgId, { text, notes })
  return typeof html === 'string' ? html : escapeAsText(text)
}

/**
 * Returns the plain text that a reader sees. If this takes too long, returns the Markdown. Throws 429 and 503 like
 * `toHtml`.
 */
export async function toPlain(orgId: string, text: string): Promise<Plain> {
  if (text.length <= atOnce) return toPlainText(text)
  const plain = await inThread(orgId, { text })
  return typeof plain === 'object' ? plain : { text, pictures: [] }
}

async function inThread(orgId: string, given: Parameters<typeof work>[0]): Promise<string | Plain | undefined> {
  try {
    return await threads.run(given, undefined, orgId)
  } catch (error) {
    if (error instanceof ThreadLimitError && error.limit === 'share')
      throw new Problem(429, 'rate_limited', 'Too many of your long articles are being rendered. Try again later.', {
        retryAfter: 5,
      })
    // A full queue says nothing about the text, so the result must not be cached.
    if (error instanceof ThreadLimitError && error.limit === 'waiting')
      throw unavailable('Too many long articles are being rendered. Send the request again later.', 5)
    if (error instanceof ThreadLimitError) return undefined
    throw error
  }
}
