import { advisoryLockSpaces } from './advisory-locks.ts'
import { type Db, sql } from './db.ts'

export type LimitedKind =
  | 'account.log_streams'
  | 'automation.rules'
  | 'bots.canned_replies'
  | 'bots.labels'
  | 'email.contacts.sandbox'
  | 'email.domains'
  | 'email.inbound_routes'
  | 'email.messages.sandbox'
  | 'email.received'
  | 'email.forms'
  | 'email.segments'
  | 'erp.reconcilers'
  | 'erp.watches'
  | 'files.image_presets'
  | 'files.buckets'
  | 'hooks.apps'
  | 'hooks.event_types'
  | 'notify.broadcasts'
  | 'notify.connections'
  | 'notify.brands'
  | 'email.topics'
  | 'notify.events.sandbox'
  | 'notify.texts'
  | 'notify.topics'
  | 'notify.workflows'
  | 'trust.watches'
  | 'verify.settings'
  | 'video.domains'
  | 'wiki.tree'
  | 'work.schedules'
  | 'knowledge.stores'
  | 'knowledge.store_bytes'
  | 'live.channels'
  | 'live.restreams'
  | 'rooms.restreams'
  | 'sms.providers'
  | 'intake.sources'
  | 'video.watermarks'
  | `webhooks.${string}`

/**
 * Locks the organisation’s objects of a kind until the end of the transaction. A later statement in the transaction
 * counts all objects that other transactions have added.
 */
export async function lockOrgLimit(tx: Db, orgId: string, kind: LimitedKind): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    select from pg_advisory_xact_lock(${advisoryLockSpaces.limit}, hashtext(${kind} || ' ' || ${orgId}))`)
}
