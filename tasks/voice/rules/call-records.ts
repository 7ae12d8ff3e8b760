import { setTimeout as pause } from 'node:timers/promises'
import { config } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { Db } from '#sql/db.ts'
import { untilWritten } from '#sql/persist.ts'
import * as calls from '#sql/voice/calls.ts'
import * as legs from '#sql/voice/legs.ts'
import * as switchboards from '#sql/voice/switchboards.ts'
import * as trunks from '#sql/voice/trunks.ts'
import type { CallPlan, CallRecords, OrphanedCall } from '../engine.ts'
import { moveCall } from './emit-call.ts'
import { legEnding, noTrunk, workerLost } from './outcomes.ts'
import { isReachable } from './trunks.ts'

/**
 * Time in milliseconds for which the progress of a call is retried if the database is unavailable. After that, another
 * worker can have the call.
 */
const keptMs = config.LEASE_MS

const [endTries, endAgainMs] = [60, 500]

const adoptedAtOnce = 50

export function createCallRecords(db: Db, workerId: string): CallRecords {
  const own = (id: string) => ({ id, switchboardId: workerId })
  return {
    register: ({ address, capacity, callsPerSecond }) =>
      switchboards.insert(db, { id: workerId, address, capacity, calls_per_second: callsPerSecond }),
    begin: (callId, trunkTo) => begin(db, own(callId), trunkTo),
    news: (heldCallIds) => calls.findChanges(db, workerId, heldCallIds),
    adopt: () => adopt(db, workerId),
    async endOrphan({ call, legs: ofCall }) {
      const changes = ofCall.map(
        ({ leg, answered_at }) => ({ leg, status: answered_at ? 'completed' : 'failed' }) as const,
      )
      await moveCall(db, own(call.id), workerLost, changes)
    },
    move: (callId, to, changes) => move(db, own(callId), to, changes),
    async end(callId, ending, { a, b }) {
      const changes = [
        { leg: 'a', status: legEnding(a) },
        { leg: 'b', status: legEnding(b) },
      ] as const
      await end(db, own(callId), ending, changes)
    },
    noteTrunk: (name, status, rttMs) => noteTrunk(db, workerId, { name, status, rttMs }),
  }
}

interface OwnCall {
  id: string
  switchboardId: string
}

async function begin<Trunk>(
  db: Db,
  own: OwnCall,
  trunkTo: (number: string) => Trunk | undefined,
): Promise<CallPlan<Trunk> | undefined> {
  const call = await calls.claim(db, own.id, own.switchboardId)
  if (!call) return undefined
  const [a, b] = (await legs.listByCalls(db, [own.id])).get(own.id) ?? []
  const [toA, toB] = [trunkTo(a?.number ?? ''), trunkTo(b?.number ?? '')]
  if (call.speech && a && toA) return { call, a: { number: a.number, trunk: toA }, b: undefined }
  if (a && b && toA && toB) return { call, a: { number: a.number, trunk: toA }, b: { number: b.number, trunk: toB } }
  const failed = [
    { leg: 'a', status: 'failed' },
    { leg: 'b', status: 'failed' },
  ] as const
  await moveCall(db, own, noTrunk, failed)
  return undefined
}

async function adopt(db: Db, workerId: string): Promise<OrphanedCall[]> {
  const adopted = await calls.adopt(db, workerId, adoptedAtOnce)
  const found = await legs.listByCalls(
    db,
    adopted.map(({ id }) => id),
  )
  return adopted.map((call) => ({ call, legs: found.get(call.id) ?? [] }))
}

async function move(
  db: Db,
  own: OwnCall,
  to: 'ringing' | 'in_progress' | undefined,
  changes: readonly calls.LegChange[],
): Promise<boolean> {
  let tries = 0
  return await untilWritten(keptMs, async () => {
    tries++
    if (await moveCall(db, own, to, changes)) return true
    // An earlier attempt may have been committed even if its response was lost.
    return tries > 1 && (await moveCall(db, own, undefined, changes))
  })
}

async function end(db: Db, own: OwnCall, ending: calls.Ending, changes: readonly calls.LegChange[]): Promise<void> {
  for (let tries = 0; tries < endTries; tries++) {
    try {
      const moved = await moveCall(db, own, ending, changes)
      if (!moved) log.warn({ call_id: own.id }, 'a call ended that now belongs to another worker')
      return
    } catch (error) {
      log.debug({ err: describe(error) }, 'the end of a call could not be stored; retrying')
      await pause(endAgainMs)
    }
  }
}

async function noteTrunk(
  db: Db,
  workerId: string,
  { name, status, rttMs }: { name: string; status: number; rttMs: number },
): Promise<void> {
  const reachable = isReachable(status)
  await trunks.note(db, {
    switchboard_id: workerId,
    name,
    reachable,
    rtt_ms: reachable ? Math.round(rttMs * 10) / 10 : null,
    last_error: reachable ? null : status === 408 ? 'no answer' : 'not reachable',
  })
}
