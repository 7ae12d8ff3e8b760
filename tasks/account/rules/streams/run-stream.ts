import { describe } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import * as positions from '#sql/account/streams/positions.ts'
import * as queue from '#sql/account/streams/queue.ts'
import type { Source, Target } from '#sql/account/streams/streams.ts'
import * as streams from '#sql/account/streams/streams.ts'
import type { Batch, SendResult } from './engine.ts'
import { maskResult, openTarget, sealError } from './open-target.ts'
import { type Item, readItems } from './read-items.ts'
import { recordFailure, recordStep } from './record-result.ts'
import { toSample } from './records.ts'
import type { Ending, StreamRun, StreamTools } from './stream-run.ts'

/** Time in milliseconds after which a job lets the next stream continue. */
const runMs = 20_000

/** Duration of a lease in milliseconds. Longer than the slowest request. */
const leaseMs = 60_000

/** Numbers of records that get a number, and that are deleted, in one transaction. */
const [numberedRecords, removedRecords] = [10_000, 20_000]

/** Largest batches by records and bytes of content. */
const sizes = {
  s3: { records: 5_000, bytes: 4_000_000 },
  otlp: { records: 500, bytes: 1_000_000 },
  syslog: { records: 500, bytes: 1_000_000 },
  splunk: { records: 500, bytes: 800_000 },
} as const

/** Sends the waiting records of a leased stream until none is left or the time ends. */
export async function runStream(run: StreamRun, first: Target, tools: StreamTools): Promise<Ending> {
  const until = performance.now() + runMs
  // Sources take turns, so that a long source does not delay the others.
  for (let turns = first.sources.map(createTurn); turns.length > 0; ) {
    const waiting: Turn[] = []
    for (const turn of turns) {
      tools.signal.throwIfAborted()
      if (performance.now() > until) return 'more'
      // The lease is renewed for every batch, so a changed or paused stream does not continue with old settings.
      const target = await streams.lease(tools.db, run.streamId, run.wakeId, leaseMs)
      if (!target) return 'idle'
      const step = await sendNext(run, target, turn, tools)
      if (step === 'more') waiting.push(turn)
      else if (step !== 'idle') return step
    }
    turns = waiting
  }
  return 'idle'
}

interface Turn {
  source: Source
  /** Number of records of the next batch. Null for the largest batch. */
  size: number | null
  hasAccepted: boolean
}

const createTurn = (source: Source): Turn => ({ source, size: null, hasAccepted: false })

/** Sends one batch. */
async function sendNext(run: StreamRun, target: Target, turn: Turn, tools: StreamTools): Promise<Ending> {
  const read = await readBatch(target, turn, tools.db)
  if (!read) return 'idle'
  const { at, items, records } = read
  if (records.length === 0) return await move(run, target, at, items, null, tools)
  const result = await send(target, { source: turn.source, first: at.from + 1, records }, tools)
  if (result.outcome === 'failed') return await recordFailure(run, target, result, tools.db)
  if (result.outcome === 'accepted') acceptBatch(turn, sizes[target.kind].records)
  else if (records.length > 1) {
    turn.size = Math.max(1, Math.floor(items.length / 2))
    return 'more'
  } else {
    // One record is rejected. It is set aside only if the server accepts other records.
    const refusal = await findRefusal(target, turn, tools)
    if (refusal) return await recordFailure(run, target, refusal, tools.db)
  }
  return await move(run, target, at, items, result, tools)
}

/** Returns the next items of a source. Null if there are none. */
async function readBatch(target: Target, { source, size }: Turn, db: StreamTools['db']) {
  const from = await positions.findNumber(db, target.id, source)
  if (from === null) return null
  const most = sizes[target.kind]
  const read = () => readItems(db, target, source, { from, limit: size ?? most.records, bytes: most.bytes })
  let items = await read()
  // New records get their numbers when the numbered ones are sent.
  if (items.length === 0 && source !== 'audit' && (await numberFresh(db, target.org_id, source))) items = await read()
  if (items.length === 0) return null
  return { at: { source, from }, items, records: items.flatMap(({ record }) => record ?? []) }
}

/** Gives numbers to new records, and deletes the numbers that are sent. Returns false if there are no new records. */
async function numberFresh(db: StreamTools['db'], orgId: string, source: queue.QueuedSource): Promise<boolean> {
  return await db.transaction(async (tx) => {
    await queue.removePassed(tx, orgId, source, removedRecords)
    return (await queue.number(tx, orgId, source, numberedRecords)) > 0
  })
}

async function send(target: Target, batch: Batch, { engine, seal, signal }: StreamTools): Promise<SendResult> {
  const opened = openTarget(target, seal)
  if (!opened) return sealError
  try {
    return maskResult(await engine.send(opened, batch, signal), opened)
  } catch (error) {
    signal.throwIfAborted()
    log.error({ err: describe(error), stream_id: target.id }, 'a batch of a log stream could not be prepared')
    return { ...sealError, error: 'Millrace could not prepare the records. Check the settings of the stream.' }
  }
}

/** Batches grow again after a rejected record was found. */
function acceptBatch(turn: Turn, most: number): void {
  turn.hasAccepted = true
  if (turn.size !== null) turn.size = turn.size * 2 < most ? turn.size * 2 : null
}

/** Sends a sample if the server has accepted nothing yet. Returns the result unless the server accepts it. */
async function findRefusal(target: Target, turn: Turn, tools: StreamTools): Promise<SendResult | null> {
  if (turn.hasAccepted) return null
  const records = [toSample(target, turn.source, newId())]
  const result = await send(target, { source: turn.source, first: 0, records }, tools)
  turn.hasAccepted = result.outcome === 'accepted'
  return turn.hasAccepted ? null : result
}

/** Moves the position behind the items. `result` is null if no record was sent. */
async function move(
  run: StreamRun,
  target: Target,
  at: { source: Source; from: number },
  items: readonly Item[],
  result: SendResult | null,
  { db }: StreamTools,
): Promise<Ending> {
  const isMoved = await db.transaction((tx) => recordStep(tx, run, target, { at, items, result }))
  return isMoved ? 'more' : 'idle'
}
