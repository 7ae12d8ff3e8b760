import { lockSpaces } from './advisory-locks.ts'
import { type Db, sql } from './db.ts'

/** Kinds of which an organisation may have so many. */
export type LimitedKind =
  | 'email.contacts.sandbox'
  | 'email.domains'
  | 'email.inbound_routes'
  | 'email.messages.sandbox'
  | 'email.received'
  | 'email.segments'
  | 'notify.events.sandbox'
  | 'notify.texts'
  | 'notify.workflows'
  | 'trust.watches'
  | 'video.domains'
  | 'wiki.tree'
  | 'live.channels'
  | 'live.restreams'
  | 'rooms.restreams'
  | 'video.watermarks'
  | `webhooks.${string}`

/**
 * Has an organisation's things of a kind be counted and added by one transaction at a time, until the caller's ends: who counts
 * after this, in a statement of its own, sees all that others have added.
 */
export async function lockLimit(tx: Db, orgId: string, kind: LimitedKind): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    select from pg_advisory_xact_lock(${lockSpaces.limit}, hashtext(${kind} || ' ' || ${orgId}))`)
}
