import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '#lib/ids.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { hasLease } from '#sql/jobs/lease.ts'
import * as admission from '#sql/live/admission.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import { type Channel, findAny } from '#sql/live/channels.ts'
import type { Reason } from '#sql/live/refusals.ts'
import * as sessions from '#sql/live/sessions.ts'
import type { Source } from '../engine.ts'

export interface IngestWorker {
  workerId: string
  originUrl: string
}

/** Maximum wait in milliseconds. nginx waits 10 s for its hooks. */
const mostWaitMs = 8_000

type ClaimOutcome = sessions.Session | 'plan_full' | null

/**
 * Assigns a channel to a worker, with the open broadcast of a dead worker or with a new one. Waits while another worker
 * has the channel, because that worker can be dead, and while this worker has no lease yet. Returns the reason if it
 * cannot.
 */
export async function assignChannel(
  db: DatabasePool,
  channel: Channel,
  source: Source,
  worker: IngestWorker,
): Promise<sessions.Session | Reason> {
  const deadline = performance.now() + mostWaitMs
  for (;;) {
    const claimed = await tryOnce(db, channel, source, worker)
    if (claimed) return claimed
    const mayOpen = (await sessions.findHeld(db, channel.id)) !== null || !(await hasLease(db, worker.workerId))
    if (!mayOpen || performance.now() > deadline) return await whyNot(db, channel.id)
    await pause(250)
  }
}

async function whyNot(db: DatabasePool, channelId: string): Promise<Reason> {
  const { closed_until: closed } = (await findAny(db, channelId)) ?? {}
  return closed && closed > new Date() ? 'closed' : 'elsewhere'
}

/** Rolls back the transaction if another worker has the channel. */
const heldElsewhere = new Error('the channel is on another worker')

async function tryOnce(
  db: DatabasePool,
  channel: Channel,
  source: Source,
  worker: IngestWorker,
): Promise<ClaimOutcome> {
  const attempt = db.transaction(async (tx): Promise<ClaimOutcome> => {
    if (!(await admission.lockCapacity(tx, channel.org_id, channel.id))) return 'plan_full'
    const broadcast_id = (await admission.findOpenBroadcast(tx, channel.id)) ?? (await begin(tx, channel))
    const claim = {
      channel_id: channel.id,
      worker_id: worker.workerId,
      origin_url: worker.originUrl,
      source,
      broadcast_id,
    }
    const claimed = await sessions.claim(tx, claim)
    if (!claimed) throw heldElsewhere
    return claimed
  })
  return await attempt.catch((error) => {
    if (error === heldElsewhere) return null
    throw error
  })
}

async function begin(tx: Db, { id, org_id, record }: Channel): Promise<string> {
  const broadcast = { id: newId(), org_id, channel_id: id, record }
  return (await broadcasts.insert(tx, broadcast)).id
}
