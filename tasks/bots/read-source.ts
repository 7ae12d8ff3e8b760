import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { toStorableText } from '#lib/outside-text.ts'
import * as documents from '#sql/bots/documents.ts'
import * as sources from '#sql/bots/sources.ts'
import { jobKey } from '#sql/knowledge/lacking.ts'
import { getCoveredText } from '#sql/knowledge/split.ts'
import { embed } from '../knowledge/embed.ts'
import type { Tools } from '../pools.ts'
import { enqueue } from '../queue/enqueue.ts'
import { type Attempt, task } from '../queue/task.ts'
import { readSource as readRemote } from '../sources/rules/read-source.ts'
import { PageUnreadableError } from '../wiki/engine.ts'
import { fetchSource } from './rules/fetch-source.ts'

/** Maximum number of characters of a source’s text, about one book. */
const mostText = 400_000

/** Time for which an unavailable server is retried, and delay between attempts, in milliseconds. */
const retries = { forMs: 120_000, pauseMs: 20_000 }

export const readSource = task({
  name: 'bots/read-source',
  pool: 'web',
  payload: z.object({ sourceId: Id, try: z.int() }),
  timeout: 3 * 60_000,
  async run({ sourceId, try: nth }, tools) {
    const { db } = tools
    const reading = { id: sourceId, try: nth }
    const source = await sources.findPending(db, reading)
    if (!source) return
    await readRemote({
      read: () => replaceText(source, tools),
      fail: ({ code, message }) => sources.fail(db, reading, { code, message }),
      retry: { requestedAt: source.requested_at, ...retries },
    })
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

async function replaceText(source: sources.Pending, tools: Attempt & Tools['web']): Promise<void> {
  const { db, documents: reader, signal } = tools
  const { id, bot_id, org_id, url } = source
  const fetched = await fetchSource(source, tools)
  if (fetched === 'unchanged') {
    const { content_type, cut, etag, last_modified } = source
    await sources.end(db, source, { content_type, cut, etag, last_modified })
    return
  }
  const { bytes, declaredType, name, etag, last_modified } = fetched
  const read = await reader.readText(bytes, declaredType, org_id, signal)
  const text = getCoveredText(toStorableText(read.text, mostText))
  if (text.trim() === '') throw new PageUnreadableError('The file contains no text.')
  const facts = { content_type: read.type, cut: text.length < read.text.length, etag, last_modified }
  const title = source.title ?? (toStorableText(read.title ?? name, 200) || 'Untitled')
  await db.transaction(async (tx) => {
    // This locks the source until the end of the transaction, so that no other read writes.
    if (!(await sources.end(tx, source, facts))) return
    if (!(await documents.replace(tx, { id, bot_id, org_id, title, url, text }))) return
    await sources.markChanged(tx, id)
    if (config.AI_ENGINE !== 'upstream' && !config.AI_MEANING) return
    await enqueue(tx, embed, { sourceId: id }, { key: jobKey(id), orgId: org_id })
  })
}
