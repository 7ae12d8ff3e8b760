import { newId } from '#lib/ids.ts'
import * as health from '#sql/account/streams/health.ts'
import * as positions from '#sql/account/streams/positions.ts'
import * as rejects from '#sql/account/streams/rejects.ts'
import type { Source, Target } from '#sql/account/streams/streams.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { SendResult } from './engine.ts'
import type { Item } from './read-items.ts'
import { type Ending, type StreamRun, sentRecords } from './stream-run.ts'
import { tellFailing, tellRecovered } from './tell-health.ts'

/** Pauses after failures in milliseconds: they double from the first to the longest. */
const [firstPauseMs, longestPauseMs] = [2_000, 120_000]

/** Time in milliseconds of failures after which the organisation is notified. */
const tellAfterMs = 15 * 60_000

interface Step {
  at: { source: Source; from: number }
  items: readonly Item[]
  result: SendResult | null
}

/** Moves the position, and records what was sent, set aside and lost. Returns false if another job has the stream. */
export async function recordStep(
  tx: Db,
  { streamId: id, wakeId }: StreamRun,
  target: Target,
  { at, items, result }: Step,
): Promise<boolean> {
  const to = (items.at(-1) as Item).to
  const lost = items.reduce((sum, item) => sum + item.lost, 0)
  const own = items.flatMap(({ record, lost: missing }) => (record && missing === 0 ? [record] : []))
  const isRejected = result?.outcome === 'rejected'
  const setAside = isRejected ? own.length : Math.min(result?.dropped ?? 0, own.length)
  const sent = result ? own.length - setAside : 0
  if (!(await positions.advance(tx, { id, wakeId }, at, { to, sent, setAside, lost }))) return false
  if (setAside > 0 || isRejected) {
    const reason = result?.error ?? 'The server rejected the record.'
    const record_id = own.length === 1 ? (own[0] as { id: string }).id : `${setAside} of ${own.length} records`
    await rejects.add(tx, {
      id: newId(),
      stream_id: id,
      org_id: target.org_id,
      ...{ source: at.source, number: to, record_id, reason },
    })
  }
  if (result?.outcome === 'accepted') {
    const before = await health.recordSuccess(tx, id, wakeId)
    if (before?.failing_told_at) await tellRecovered(tx, target, before.failing_since)
  }
  countRecords(target.kind, { sent, set_aside: setAside, lost })
  return true
}

function countRecords(kind: string, counts: Readonly<Record<string, number>>): void {
  for (const [result, count] of Object.entries(counts)) if (count > 0) sentRecords.inc({ kind, result }, count)
}

/** Records a failure. Returns the pause until the next attempt. */
export async function recordFailure(
  { streamId: id, wakeId }: StreamRun,
  target: Target,
  { error }: SendResult,
  db: DatabasePool,
): Promise<Ending> {
  const words = error ?? 'The server did not accept the records.'
  const failures = await db.transaction(async (tx) => {
    const streak = await health.recordFailure(tx, id, wakeId, words)
    if (!streak) return 1
    const isLong = streak.failing_since !== null && Date.now() - streak.failing_since.getTime() > tellAfterMs
    if (isLong && streak.failing_told_at === null && (await health.markTold(tx, id)))
      await tellFailing(tx, target, { since: streak.failing_since as Date, error: words })
    return streak.failures
  })
  sentRecords.inc({ kind: target.kind, result: 'failed' })
  const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(failures - 1, 10), longestPauseMs)
  return { pauseMs: pauseMs * (0.8 + Math.random() * 0.4) }
}
