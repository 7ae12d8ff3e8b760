import { ThreadLimit, threadPool } from '#lib/threads.ts'
import { escapeHtml, plainText, renderMarkdown } from './markdown.ts'
import type { work } from './markdown-thread.ts'

/** Characters that are rendered at once; longer articles are in a thread, as some take squares of their length. */
const atOnce = 8_192

const limits = { threads: 1, seconds: 5, megabytes: 128, waiting: 100 }
const threads = threadPool<typeof work>(new URL('./markdown-thread.ts', import.meta.url), limits)

/** Markdown as HTML in which nothing is active; what is too costly is shown as it is written. */
export async function toHtml(text: string, notes: ReadonlyMap<string, number>): Promise<string> {
  if (text.length <= atOnce) return renderMarkdown(text, notes)
  return await threads.run({ text, notes }).catch(orElse(() => `<pre>${escapeHtml(text)}</pre>`))
}

/** What a reader sees of Markdown, without its markup; what is too costly is left as it is written. */
export async function toPlainText(text: string): Promise<string> {
  if (text.length <= atOnce) return plainText(text)
  return await threads.run({ text }).catch(orElse(() => text))
}

const orElse =
  (instead: () => string) =>
  (error: unknown): string => {
    if (error instanceof ThreadLimit) return instead()
    throw error
  }
