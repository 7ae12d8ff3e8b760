import type { Db } from '#sql/db.ts'
import * as changes from '#sql/people/consent-changes.ts'
import { findByPhone } from '#sql/people/keys.ts'
import * as optOuts from '#sql/sms/opt-outs.ts'
import { announceConsent } from './announce-consent.ts'

/** Sends the event of a changed consent for SMS if one person has the number, and no other opt-out decides. */
export async function announceSmsConsent(
  tx: Db,
  what: 'created' | 'removed',
  { id, org_id, phone, source }: optOuts.OptOut,
): Promise<void> {
  const user_id = await findByPhone(tx, org_id, phone)
  if (user_id === null) return
  const others = await optOuts.listForPhones(tx, org_id, [phone])
  if (others.some((other) => other.id !== id)) return
  const reported = await changes.findLatest(tx, { org_id, user_id, channel: 'sms' })
  const isGranted = reported?.state === 'granted'
  const change = { org_id, user_id, channel: 'sms' } as const
  if (what === 'created') {
    const previous_state = isGranted ? 'granted' : 'none'
    await announceConsent(tx, { ...change, state: 'denied', previous_state, source })
  } else if (isGranted) {
    await announceConsent(tx, { ...change, state: 'granted', previous_state: 'denied', source: reported.source })
  }
}
