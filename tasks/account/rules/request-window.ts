import { notFound } from '#lib/errors.ts'
import { append } from '#sql/account/audit.ts'
import { open, type Window } from '#sql/account/usage/request-windows.ts'
import type { Db } from '#sql/db.ts'
import { readAuthority } from './authority.ts'
import { type Doer, toAct } from './doer.ts'

export const mostMinutes = 60

/**
 * Opens a window in which the start of request bodies is logged, with secrets masked. Records the window in the audit
 * log. Every process applies it within seconds. Throws 404 for unknown keys, and for live keys if only test keys are
 * allowed.
 */
export async function openWindow(
  tx: Db,
  doer: Doer,
  { key_id: keyId, minutes, testOnly = false }: { key_id: string; minutes: number; testOnly?: boolean },
): Promise<Window> {
  await readAuthority(tx, doer, 'contents:read')
  const wanted = { orgId: doer.orgId, keyId, minutes: Math.min(minutes, mostMinutes), testOnly }
  const window = await open(tx, wanted)
  if (!window) throw notFound('key')
  const after = { ends_at: window.ends_at.toISOString() }
  await append(tx, { ...toAct(doer), action: 'request_window.opened', target: keyId, after })
  return window
}

export async function recordBodiesViewed(tx: Db, doer: Doer, id: string): Promise<void> {
  await append(tx, { ...toAct(doer), action: 'request_bodies.shown', target: id })
}
