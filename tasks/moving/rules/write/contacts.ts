import { originalFormIfDifferent, toStoredForm } from '#lib/email-address.ts'
import type { Db } from '#sql/db.ts'
import * as details from '#sql/email/contacts/details.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as contacts from '#sql/email/contacts.ts'
import type { Import } from '#sql/moving/imports.ts'
import type { Result, Row } from '#sql/moving/rows.ts'
import { unsubscribe } from '../../../email/rules/consent/unsubscribe.ts'
import type { GivenContact } from '../providers/source.ts'

/**
 * Adds contacts. New contacts are unconfirmed, because the provider does not prove their consent. People who have
 * unsubscribed at the provider are unsubscribed.
 */
export async function writeContacts(tx: Db, { org_id }: Import, rows: readonly Row[]): Promise<Result[]> {
  const given = rows.map(({ number, item }) => {
    const said = item as unknown as GivenContact
    return { number, said, email: toStoredForm(said.email) }
  })
  const all = new Map(given.map((one) => [one.email, one]))
  const wanted = [...all].map(([email, { said }]) => ({ email, written: originalFormIfDifferent(said.email) }))
  const added = new Set(await contacts.insertUnconfirmed(tx, org_id, wanted))
  const about = { org_id, kind: 'imported' as const, source: 'import' as const, message_id: null, detail: null }
  await events.insertMany(
    tx,
    [...added].map((contact_id) => ({ ...about, contact_id })),
  )
  const found = await contacts.findMany(
    tx,
    wanted.map(({ email }) => ({ org_id, email })),
  )
  const byEmail = new Map(found.map((contact) => [contact.email, contact]))
  const unkept = await addDetails(tx, org_id, [...all.values()], byEmail)
  for (const { said, email } of given)
    if (said.is_unsubscribed && byEmail.has(email))
      await unsubscribe(tx, { orgId: org_id, address: said.email, source: 'api', messageId: null })
  return given.map((one) => {
    const contact = byEmail.get(one.email)
    const reason = contact ? (unkept.has(one.email) ? tooMuch : null) : erased
    const isNew = contact !== undefined && added.has(contact.id) && all.get(one.email)?.number === one.number
    return { number: one.number, outcome: isNew ? 'imported' : 'existing', reason, target_id: contact?.id ?? null }
  })
}

const erased = 'The person was erased. Imports do not add the address.'

const tooMuch = `The attributes or tags exceed the limit (${details.detailLimits.bytes} bytes, ${details.detailLimits.tags} tags) and were not stored.`

/** Adds names, attributes and tags. An existing name is kept. Returns the addresses whose details exceed a limit. */
async function addDetails(
  tx: Db,
  orgId: string,
  given: readonly { said: GivenContact; email: string }[],
  byEmail: ReadonlyMap<string, contacts.Contact>,
): Promise<ReadonlySet<string>> {
  const rows = given.flatMap(({ said: { name, attributes, tags }, email }) => {
    const contact = byEmail.get(email)
    const isDetailed = name !== null || tags.length > 0 || Object.keys(attributes).length > 0
    if (!contact || !isDetailed) return []
    // The values of an existing contact are newer than those of the provider.
    const merged = { ...attributes, ...contact.attributes }
    const own = { written: contact.written, user_id: null, isDetailed }
    return [{ email, ...own, name: contact.name ?? name, attributes: merged, tags }]
  })
  return new Set(await details.addMany(tx, orgId, rows, false))
}
