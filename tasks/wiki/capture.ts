import { hash } from 'node:crypto'
import { z } from 'zod'
import { Later, Permanent } from '#lib/errors.ts'
import type { OutboundClient, OutboundResponse } from '#lib/http.ts'
import { Id } from '#lib/ids.ts'
import { OutboundError, type OutboundFault } from '#lib/network/address-guard.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Db } from '#sql/db.ts'
import * as looseBytes from '#sql/wiki/loose-bytes.ts'
import * as checks from '#sql/wiki/snapshot-checks.ts'
import * as snapshots from '#sql/wiki/snapshots.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { PageUnreadableError } from './engine.ts'
import { snapshotKey } from './rules/keys.ts'
import { verifyPendingQuotes } from './rules/weigh.ts'

export const mostBytes = 5 * 1024 ** 2

const fetchMs = 30_000
/** Time for which an unavailable server is retried, and delay between attempts, in milliseconds. */
const retryForMs = 12_000
const pauseMs = 4_000

const passing = new Set<OutboundFault>(['timed_out', 'connection_failed', 'unresolved'])

/** Takes a snapshot of a source: the response, its words, and its bytes in storage. */
export const capture = task({
  name: 'wiki/capture',
  pool: 'web',
  payload: z.object({ snapshotId: Id }),
  tracked: true,
  timeout: 3 * 60_000,
  async run({ snapshotId }, { db, own, outbound, pages, storage, signal }) {
    const pending = await snapshots.findPending(db, snapshotId)
    if (!pending) return
    try {
      const answer = await fetchFrom(outbound, pending, signal)
      const { body, status, headers, hops } = answer
      const read = await pages.read(body, String(headers['content-type'] ?? ''), pending.org_id, signal)
      const sha256 = hash('sha256', body, 'hex')
      const captured = {
        final_url: hops.at(-1) ?? pending.url,
        http_status: status,
        content_type: read.type,
        title: read.title,
        size: body.length,
        sha256,
        text: read.text,
        text_length: read.length,
        normal_text: read.normalText,
        page_ends: read.pageEnds,
        text_sha256: read.text === null ? null : hash('sha256', read.text, 'hex'),
      }
      const same = await checks.findIdentical(db, pending.source_id, captured)
      if (!same?.has_bytes) {
        // This is the first step, so that the stored bytes are not deleted.
        await looseBytes.protectBytes(db, pending.org_id, sha256)
        const key = snapshotKey(pending.org_id, sha256)
        await storage.put(key, body, { contentType: 'application/octet-stream', signal })
      }
      await own((tx) => end(tx, pending, captured, same?.id))
    } catch (error) {
      const fault = getSourceFault(error)
      const isNew = Date.now() - pending.requested_at.getTime() < retryForMs
      if (fault.passing && isNew) throw new Later(pauseMs, fault.message)
      await own((tx) => snapshots.fail(tx, snapshotId, fault))
    }
  },
  async giveUp({ snapshotId }, error, { db }) {
    const cancelled = error.name === 'Cancelled'
    const message = cancelled ? 'The job was cancelled.' : 'Several attempts to take the snapshot failed.'
    await snapshots.fail(db, snapshotId, { code: cancelled ? 'cancelled' : 'capture_failed', message })
  },
  async revive() {
    throw new Permanent('A failed snapshot cannot be retried. Request a new snapshot instead.')
  },
})

export async function requestSnapshots(
  tx: Db,
  orgId: string,
  sourceIds: readonly string[],
): Promise<snapshots.Snapshot[]> {
  const asked = await snapshots.request(tx, orgId, sourceIds)
  const made = asked.flatMap(({ snapshot, isNew }) => (isNew ? [snapshot] : []))
  const payloads = made.map(({ id }) => ({ snapshotId: id }))
  if (made.length > 0)
    await enqueueMany(tx, capture, payloads, (i) => ({ orgId, subject: made[i]?.source_id ?? orgId }))
  return asked.map(({ snapshot }) => snapshot)
}

/**
 * Ends a snapshot and checks the quotes that wait for it. If an identical snapshot exists, the snapshot is merged into
 * it.
 */
async function end(
  tx: Db,
  { id, source_id }: { id: string; source_id: string },
  captured: snapshots.Capture,
  expected: string | undefined,
): Promise<void> {
  const same = await checks.findIdentical(tx, source_id, captured)
  if (same?.id !== expected)
    throw new Later(pauseMs, 'A snapshot with the same content was deleted during the capture.')
  const ended = same ? await checks.mergeInto(tx, id, same.id, captured) : await snapshots.end(tx, id, captured)
  if (ended) await verifyPendingQuotes(tx, same?.id ?? id)
}

class NotAPageError extends Error {
  readonly answer: OutboundResponse

  constructor(answer: OutboundResponse) {
    super(`The server returned ${answer.status}${answer.status < 300 ? ' and nothing more' : ''}.`)
    this.answer = answer
  }
}

async function fetchFrom(
  outbound: OutboundClient,
  { url, org_id: holder }: { url: string; org_id: string },
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const headers = {
    'user-agent': 'Mozilla/5.0 (compatible; MillraceSnapshot/1.0)',
    accept: 'text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.8',
  }
  const limits = { timeout: fetchMs, maxBytes: mostBytes, redirects: 5 }
  const answer = await outbound.request(url, { headers, ...limits, holder, signal })
  if (answer.status !== 200 || answer.body.length === 0) throw new NotAPageError(answer)
  return answer
}

/** Returns why a source cannot be captured. Rethrows other errors. */
function getSourceFault(error: unknown): snapshots.Failure & { passing?: boolean } {
  if (error instanceof OutboundError) {
    const { shown: code, message } = error
    return { code, message: toStorableText(message, 500), passing: passing.has(code) }
  }
  if (error instanceof NotAPageError) {
    const { status, hops } = error.answer
    const code = status === 200 ? 'empty' : 'http_status'
    const passes = status >= 500 || status === 429 || status === 408
    return { code, message: error.message, http_status: status, final_url: hops.at(-1), passing: passes }
  }
  if (error instanceof PageUnreadableError) return { code: 'unreadable', message: error.message }
  throw error
}
