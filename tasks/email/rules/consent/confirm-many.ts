import type { Db } from '#sql/db.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as vouched from '#sql/email/contacts/vouched.ts'
import { emitMany } from '../../../webhooks/rules/emit.ts'
import { contactData } from '../event-data.ts'

/** Confirms those contacts that are unconfirmed, because an operator vouches for their consent. Returns their number. */
export async function confirmMany(
  tx: Db,
  orgId: string,
  wanted: readonly vouched.VouchedContact[],
  sandbox: boolean,
): Promise<number> {
  const confirmed = await vouched.confirm(tx, orgId, wanted, sandbox)
  const about = { org_id: orgId, kind: 'confirmed' as const, source: 'operator' as const, message_id: null }
  await events.insertMany(
    tx,
    confirmed.map(({ id, consent_source: detail }) => ({ ...about, contact_id: id, detail })),
    sandbox,
  )
  await emitMany(
    tx,
    confirmed.map(({ id, email }) => ({
      orgId,
      type: 'email.contact.confirmed' as const,
      data: contactData({ id, email, source: 'operator', messageId: null, sandbox }),
    })),
  )
  return confirmed.length
}
