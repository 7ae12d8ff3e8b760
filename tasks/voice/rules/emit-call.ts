import type { Db } from '#sql/db.ts'
import * as calls from '#sql/voice/calls.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import { getCallDuration } from './duration.ts'

const typeOf = (status: calls.Status) => {
  if (status === 'ringing') return 'voice.call.ringing'
  return status === 'in_progress' ? 'voice.call.answered' : 'voice.call.ended'
}

export async function emitCalls(tx: Db, changed: readonly calls.Call[]): Promise<void> {
  await emitMany(
    tx,
    changed.map((call) => ({
      orgId: call.org_id,
      type: typeOf(call.status),
      data: {
        id: call.id,
        status: call.status,
        reason: call.reason,
        ended_by: call.ended_by,
        metadata: call.metadata,
        created_at: call.created_at.toISOString(),
        answered_at: call.answered_at?.toISOString() ?? null,
        ended_at: call.ended_at?.toISOString() ?? null,
        duration_seconds: getCallDuration(call),
      },
    })),
  )
}

/** Moves a call like `calls.move` and sends the webhook of its new state. */
export async function moveCall(
  db: Db,
  call: { id: string; switchboardId: string },
  to: 'ringing' | 'in_progress' | calls.Ending | undefined,
  changes: readonly calls.LegChange[],
): Promise<boolean> {
  if (to === undefined) return await calls.move(db, call, to, changes)
  return await db.transaction(async (tx) => {
    if (!(await calls.move(tx, call, to, changes))) return false
    await emitCalls(tx, await calls.findMany(tx, [call.id]))
    return true
  })
}
