import type { Db } from '#sql/db.ts'
import type { Channel } from '#sql/people/consent-changes.ts'
import { emit } from '../../webhooks/rules/emit.ts'

interface AnnouncedChange {
  org_id: string
  /** Without a linked person, nothing is announced. */
  user_id: string | null
  channel: Channel
  state: 'granted' | 'denied'
  previous_state: 'granted' | 'denied' | 'pending' | 'none'
  source: string
  at?: string
}

/** Sends the event of a changed consent if the row is linked to a person and its state has changed. */
export async function announceConsent(tx: Db, change: AnnouncedChange): Promise<void> {
  const { org_id, user_id, channel, state, previous_state, source, at = new Date().toISOString() } = change
  if (user_id === null || state === previous_state) return
  await emit(tx, org_id, 'people.consent_changed', { user_id, channel, state, previous_state, source, at })
}
