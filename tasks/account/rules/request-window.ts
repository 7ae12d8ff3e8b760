import { notFound } from '#lib/errors.ts'
import { append } from '#sql/account/audit.ts'
import { open, type Window } from '#sql/account/request-windows.ts'
import type { Db } from '#sql/db.ts'
import { authorityOf } from './authority.ts'
import { actOf, type Doer } from './doer.ts'

/** Minutes for which bodies of a key's requests may be logged. */
export const mostMinutes = 60

/**
 * Has the heads of a key's bodies logged, masked, for some minutes from now, in a transaction; the audit log says so. Every
 * process begins within seconds. Throws 404 for a key that the organisation does not have, or
 * that is live where test keys alone are asked for.
 */
export async function openWindow(
  tx: Db,
  doer: Doer,
  { key_id: keyId, minutes, testOnly = false }: { key_id: string; minutes: number; testOnly?: boolean },
): Promise<Window> {
  await authorityOf(tx, doer, 'contents:read')
  const wanted = { orgId: doer.orgId, keyId, minutes: Math.min(minutes, mostMinutes), testOnly }
  const window = await open(tx, wanted)
  if (!window) throw notFound('key')
  const after = { ends_at: window.ends_at.toISOString() }
  await append(tx, { ...actOf(doer), action: 'request_window.opened', target: keyId, after })
  return window
}

/** Says in the audit log that somebody was shown what bodies of a request held. */
export async function tellShown(tx: Db, doer: Doer, id: string): Promise<void> {
  await append(tx, { ...actOf(doer), action: 'request_bodies.shown', target: id })
}
