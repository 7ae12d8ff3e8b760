import { config } from '#lib/config.ts'
import { conflict, notFound } from '#lib/errors.ts'
import * as audit from '#sql/account/audit.ts'
import * as closures from '#sql/account/closures.ts'
import * as moves from '#sql/account/move/moves.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as sessions from '#sql/account/people/browser-sessions.ts'
import * as platform from '#sql/account/platform.ts'
import type { Db } from '#sql/db.ts'
import * as channels from '#sql/live/channels.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import * as calls from '#sql/voice/calls.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { endRoom } from '../../rooms/rules/presence.ts'
import { mailClosure } from '../mail-closure.ts'

export interface ClosureRequest {
  orgId: string
  actor: audit.Actor & { kind: 'user' | 'operator' }
  requestId?: string | undefined
  network?: string | undefined
}

/**
 * Closes an organisation. From the commit on, its keys are rejected, nothing is sent, broadcasts, rooms and calls end,
 * and members except owners are signed out. All data is deleted after the grace period. Throws 404. Throws 409
 * `closure_pending`, `move_pending` during and after the pause of a move, and `closure_refused` for the platform’s own
 * organisation.
 */
export async function requestClosure(
  tx: Db,
  { orgId, actor, requestId, network }: ClosureRequest,
): Promise<closures.Closure> {
  if (!(await orgs.find(tx, orgId))) throw notFound('organisation')
  if ((await platform.findOrgId(tx)) === orgId)
    throw conflict(
      'The platform sends its own email through this organisation, so it cannot be closed.',
      'closure_refused',
    )
  if (await moves.isHeld(tx, orgId)) throw conflict('The organisation is being moved to another cell.', 'move_pending')
  const wanted = { orgId, kind: actor.kind, name: actor.name, days: config.CLOSURE_DAYS }
  const closure = await closures.request(tx, wanted)
  if (!closure) throw conflict('The closure of this organisation is already pending.', 'closure_pending')
  await endAll(tx, orgId)
  await enqueue(tx, mailClosure, { closureId: closure.id, occasion: 'closed' })
  const after = { due_at: closure.due_at.toISOString() }
  await audit.append(tx, { orgId, actor, action: 'organisation.closed', target: orgId, requestId, network, after })
  return closure
}

/**
 * Cancels a closure during its grace period. Keys, email and webhooks work again. Ended rooms, broadcasts and calls
 * stay ended. Throws 409 `closure_not_pending` if no closure is pending or deletion has started.
 */
export async function cancelClosure(
  tx: Db,
  { orgId, actor, requestId, network }: ClosureRequest,
): Promise<closures.Closure> {
  const closure = await closures.cancel(tx, orgId)
  if (!closure) throw conflict('This organisation has no closure that you can cancel.', 'closure_not_pending')
  await enqueue(tx, mailClosure, { closureId: closure.id, occasion: 'reopened' })
  await audit.append(tx, { orgId, actor, action: 'organisation.reopened', target: orgId, requestId, network })
  return closure
}

/** Ends rooms, broadcasts and calls, so that no participant stays connected during the grace period. */
async function endAll(tx: Db, orgId: string): Promise<void> {
  await sessions.endAllButOwners(tx, orgId)
  for (const id of await rooms.listOpen(tx, orgId)) await endRoom(tx, id, 'ended')
  for (const id of await liveSessions.requestEndOfAll(tx, orgId)) await channels.notifyChanged(tx, id)
  for (const id of await calls.listOpen(tx, orgId)) await calls.requestHangup(tx, orgId, id)
}
