import type { Db } from '#sql/db.ts'
import { findByPhone } from '#sql/people/keys.ts'
import * as recipients from '#sql/whatsapp/recipients.ts'
import { announceConsent } from '../../people/rules/announce-consent.ts'

/** Source of a consent that a person denied with a message. */
const source = 'keyword'

/** Stores that a person denies messages from an organisation. Sends the event if one person has the number. */
export async function denyConsent(tx: Db, orgId: string, phone: string): Promise<void> {
  const before = await recipients.find(tx, orgId, phone)
  await recipients.put(tx, { org_id: orgId, phone }, { consent: 'denied', consent_source: source, isDecision: true })
  const user_id = await findByPhone(tx, orgId, phone)
  if (user_id === null) return
  const previous_state = before?.consent ?? 'none'
  await announceConsent(tx, { org_id: orgId, user_id, channel: 'whatsapp', state: 'denied', previous_state, source })
}
