import { hash } from 'node:crypto'
import { z } from 'zod'
import { Later, Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as looseBytes from '#sql/wiki/loose-bytes.ts'
import * as checks from '#sql/wiki/snapshot-checks.ts'
import * as snapshots from '#sql/wiki/snapshots.ts'
import type { Tools } from '../pools.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { type Attempt, task } from '../queue/task.ts'
import { fetchPage } from '../sources/rules/fetch.ts'
import { readSource } from '../sources/rules/read-source.ts'
import { snapshotKey } from './rules/keys.ts'
import { verifyPendingQuotes } from './rules/weigh.ts'

export const mostBytes = 5 * 1024 ** 2

/** Time for which an unavailable server is retried, and delay between attempts, in milliseconds. */
const retryForMs = 12_000
const pauseMs = 4_000

/** Takes a snapshot of a source: the response, its words, and its bytes in storage. */
export const capture = task({
  name: 'wiki/capture',
  pool: 'web',
  payload: z.object({ snapshotId: Id }),
  tracked: true,
  timeout: 3 * 60_000,
  async run({ snapshotId }, tools) {
    const pending = await snapshots.findPending(tools.db, snapshotId)
    if (!pending) return
    await readSource({
      read: () => takeSnapshot(pending, tools),
      fail: (fault) => tools.own((tx) => snapshots.fail(tx, snapshotId, fault)),
      retry: { requestedAt: pending.requested_at, forMs: retryForMs, pauseMs },
    })
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

const accept = 'text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.8'

async function takeSnapshot(
  pending: snapshots.PendingSnapshot,
  { db, own, outbound, pages, storage, signal }: Attempt & Tools['web'],
): Promise<void> {
  const { url, org_id, source_id } = pending
  const request = { client: 'MillraceSnapshot', accept, maxBytes: mostBytes, holder: org_id, signal }
  const { body, status, headers, hops } = await fetchPage(outbound, url, request)
  const read = await pages.read(body, String(headers['content-type'] ?? ''), org_id, signal)
  const sha256 = hash('sha256', body, 'hex')
  const captured = {
    final_url: hops.at(-1) ?? url,
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
  const same = await checks.findIdentical(db, source_id, captured)
  if (!same?.has_bytes) {
    // This is the first step, so that the stored bytes are not deleted.
    await looseBytes.protectBytes(db, org_id, sha256)
    await storage.put(snapshotKey(org_id, sha256), body, { contentType: 'application/octet-stream', signal })
  }
  await own((tx) => end(tx, pending, captured, same?.id))
}

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
