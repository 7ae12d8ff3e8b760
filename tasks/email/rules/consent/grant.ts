import { originalFormIfDifferent, toStoredForm } from '#lib/email-address.ts'
import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as details from '#sql/email/contacts/details.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as contacts from '#sql/email/contacts.ts'

/**
 * Confirms the contact of an address, or creates it, and links it to a person. Returns `null` if the contact has
 * unsubscribed, which is permanent.
 */
export async function grantConsent(
  tx: Db,
  { orgId, address, source, userId }: { orgId: string; address: string; source: string; userId: string },
): Promise<contacts.Contact | null> {
  const email = toStoredForm(address)
  const wanted = {
    id: newId(),
    org_id: orgId,
    email,
    written: originalFormIfDifferent(address),
    consent_source: source,
  }
  const changed = await contacts.upsertConfirmed(tx, wanted)
  if (changed) {
    const kind = changed.id === wanted.id ? ('added' as const) : ('confirmed' as const)
    const about = { org_id: orgId, contact_id: changed.id, message_id: null }
    await events.insertMany(tx, [{ ...about, kind, source: 'api', detail: source }])
  }
  const contact = await details.lock(tx, orgId, email, false)
  if (contact?.status !== 'confirmed') return null
  if (contact.user_id !== null) return contact
  const { name, attributes, tags } = contact
  return await details.set(tx, contact.id, { name, attributes, tags, user_id: userId }, false)
}
