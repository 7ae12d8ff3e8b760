import { Problem, unavailable } from '#lib/errors.ts'
import { ThreadLimit, threadPool } from '#lib/threads.ts'
import { asWritten, type Plain, plainOf, renderMarkdown } from './markdown.ts'
import type { work } from './markdown-thread.ts'

/** Characters that are rendered at once; longer articles are in a thread, as some take squares of their length. */
const atOnce = 4_096

/** One organisation has half of the threads: its costly articles keep nobody else's waiting. */
const limits = { threads: 2, seconds: 5, megabytes: 128, waiting: 1_000, ofOne: { threads: 1, waiting: 100 } }
const threads = threadPool<typeof work>(new URL('./markdown-thread.ts', import.meta.url), limits)

/**
 * Returns Markdown of an organisation as HTML in which nothing is active; what is too costly is shown as it is written. Throws 429
 * while too much of the organisation waits, and 503 while too much waits.
 */
export async function toHtml(orgId: string, text: string, notes: ReadonlyMap<string, number>): Promise<string> {
  if (text.length <= atOnce) return renderMarkdown(text, notes)
  const html = await inThread(orgId, { text, notes })
  return typeof html === 'string' ? html : asWritten(text)
}

/** Returns what a reader sees of an organisation's Markdown; what is too costly is left as it is written. Throws 429 and 503 likewise. */
export async function toPlain(orgId: string, text: string): Promise<Plain> {
  if (text.length <= atOnce) return plainOf(text)
  const plain = await inThread(orgId, { text })
  return typeof plain === 'object' ? plain : { text, pictures: [] }
}

/** What the thread makes of a text; undefined of one that is too costly. */
async function inThread(orgId: string, given: Parameters<typeof work>[0]): Promise<string | Plain | undefined> {
  try {
    return await threads.run(given, undefined, orgId)
  } catch (error) {
    if (error instanceof ThreadLimit && error.limit === 'share')
      throw new Problem(429, 'rate_limited', 'Too many of your long articles are being rendered. Try again later.', {
        retryAfter: 5,
      })
    // That too much waits says nothing of the text: what is made of that would be kept for the wrong one.
    if (error instanceof ThreadLimit && error.limit === 'waiting')
      throw unavailable('Too many long articles are being rendered. Send the request again later.', 5)
    if (error instanceof ThreadLimit) return undefined
    throw error
  }
}
