import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Later, Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { OutboundError } from '#lib/network/address-guard.ts'
import { toStorableText } from '#lib/outside-text.ts'
import * as documents from '#sql/bots/documents.ts'
import * as sources from '#sql/bots/sources.ts'
import { jobKey } from '#sql/knowledge/lacking.ts'
import { getCoveredText } from '#sql/knowledge/split.ts'
import { embed } from '../knowledge/embed.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { PageUnreadableError } from '../wiki/engine.ts'
import { fetchSource, SourceError } from './rules/fetch-source.ts'

/** Maximum number of characters of a source’s text, about one book. */
const mostText = 400_000

/** Time for which an unavailable server is retried, and delay between attempts, in milliseconds. */
const [retryForMs, pauseMs] = [120_000, 20_000]

export const readSource = task({
  name: 'bots/read-source',
  pool: 'web',
  payload: z.object({ sourceId: Id, try: z.int() }),
  timeout: 3 * 60_000,
  async run({ sourceId, try: nth }, tools) {
    const { db, signal } = tools
    const reading = { id: sourceId, try: nth }
    const source = await sources.findPending(db, reading)
    if (!source) return
    try {
      const fetched = await fetchSource(source, tools)
      if (fetched === 'unchanged') {
        const { content_type, cut, etag, last_modified } = source
        await sources.end(db, reading, { content_type, cut, etag, last_modified })
        return
      }
      const { bytes, declaredType, name, etag, last_modified } = fetched
      const read = await tools.documents.readText(bytes, declaredType, source.org_id, signal)
      const text = getCoveredText(toStorableText(read.text, mostText))
      if (text.trim() === '') throw new PageUnreadableError('The file contains no text.')
      const facts = { content_type: read.type, cut: text.length < read.text.length, etag, last_modified }
      const title = source.title ?? (toStorableText(read.title ?? name, 200) || 'Untitled')
      const { bot_id, org_id, url } = source
      await db.transaction(async (tx) => {
        // This locks the source until the end of the transaction, so that no other read writes.
        if (!(await sources.end(tx, reading, facts))) return
        if (!(await documents.replace(tx, { id: sourceId, bot_id, org_id, title, url, text }))) return
        await sources.markChanged(tx, sourceId)
        if (config.AI_ENGINE !== 'upstream') return
        await enqueue(tx, embed, { sourceId }, { key: jobKey(sourceId), orgId: org_id })
      })
    } catch (error) {
      const fault = faultOf(error)
      const isNew = Date.now() - source.requested_at.getTime() < retryForMs
      if (fault.passing && isNew) throw new Later(pauseMs, fault.message)
      await sources.fail(db, reading, { code: fault.code, message: fault.message })
    }
  },
  async giveUp({ sourceId, try: nth }, error, { db }) {
    const message =
      error.name === 'Cancelled' ? 'The job was cancelled.' : 'Several attempts to read the source failed.'
    await sources.fail(db, { id: sourceId, try: nth }, { code: 'not_read', message })
  },
  async revive() {
    throw new Permanent('A source is read again at its next refresh or when its organisation requests it.')
  },
})

const passing: ReadonlySet<string> = new Set(['timed_out', 'connection_failed', 'unresolved'])

/** Returns why a source cannot be read. Rethrows other errors. */
function faultOf(error: unknown): { code: string; message: string; passing: boolean } {
  if (error instanceof OutboundError) {
    const { shown, message } = error
    return { code: shown, message: toStorableText(message, 500), passing: passing.has(shown) }
  }
  if (error instanceof SourceError) return { code: error.code, message: error.message, passing: error.passing }
  if (error instanceof PageUnreadableError) return { code: 'unreadable', message: error.message, passing: false }
  throw error
}
