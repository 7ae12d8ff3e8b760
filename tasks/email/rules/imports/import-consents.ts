import { originalFormIfDifferent, toStoredForm } from '#lib/email-address.ts'
import type { Db } from '#sql/db.ts'
import * as vouchers from '#sql/email/consent-vouchers.ts'
import * as consents from '#sql/email/contacts/consents.ts'
import * as details from '#sql/email/contacts/details.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as choices from '#sql/email/contacts/topic-choices.ts'
import * as contacts from '#sql/email/contacts.ts'
import type { ImportRow, Outcome, Result } from '#sql/email/import-rows.ts'
import type { Import } from '#sql/email/imports.ts'
import * as sandboxes from '#sql/email/sandbox.ts'
import * as topics from '#sql/email/topics.ts'
import { confirmMany } from '../consent/confirm-many.ts'
import { ConsentRow, readRow } from './read-row.ts'

type Read = { line: number; row: ConsentRow; email: string } | { line: number; fault: string }

/**
 * Stores the evidence of some rows. New contacts are unconfirmed, unless an operator vouches for the list or for the
 * organisation. Returns the result of each row.
 */
export async function importConsents(tx: Db, list: Import, rows: readonly ImportRow[]): Promise<Result[]> {
  const { org_id, sandbox } = list
  const read = withKnownTopics(rows.map(readConsent), await topics.listAll(tx, org_id))
  const sound = read.flatMap((one) => ('row' in one ? [one] : []))
  const emails = [...new Set(sound.map(({ email }) => email))]
  if (sandbox && emails.length > 0 && !(await sandboxes.lockContactRoom(tx, org_id, emails))) {
    const full = `The sandbox can have ${sandboxes.limits.contacts} contacts. Delete contacts first.`
    return read.map((one) => resultOf('row' in one ? { line: one.line, fault: full } : one))
  }
  const added = new Set(
    await contacts.insertUnconfirmed(
      tx,
      org_id,
      [...new Map(sound.map(({ email, row }) => [email, row]))].map(([email, row]) => ({
        email,
        written: originalFormIfDifferent(row.email),
      })),
      sandbox,
    ),
  )
  const found = await contacts.findMany(
    tx,
    emails.map((email) => ({ org_id, email })),
    sandbox,
  )
  const byEmail = new Map(found.map((contact) => [contact.email, contact]))
  await store(tx, list, sound, byEmail, added)
  const first = new Set<string>()
  return read.map((one) => {
    if (!('row' in one)) return resultOf(one)
    const contact = byEmail.get(one.email)
    const isNew = contact !== undefined && added.has(contact.id) && !first.has(one.email)
    first.add(one.email)
    // Only erased people are not added.
    if (!contact) return { line: one.line, email: one.email, outcome: 'unsubscribed', reason: erased }
    const outcome: Outcome = contact.status === 'unsubscribed' ? 'unsubscribed' : isNew ? 'imported' : 'existing'
    return { line: one.line, email: one.email, outcome, reason: outcome === 'unsubscribed' ? unsubscribed : null }
  })
}

const erased = 'The person was erased. Imports do not add the address.'

const unsubscribed = 'The contact has unsubscribed permanently. The consent has no effect.'

const resultOf = ({ line, fault }: { line: number; fault: string }): Result => ({
  line,
  email: null,
  outcome: 'invalid',
  reason: fault,
})

function readConsent(row: ImportRow): Read {
  const said = readRow(ConsentRow, row)
  if (typeof said === 'string') return { line: row.line, fault: said }
  return { line: row.line, row: said, email: toStoredForm(said.email) }
}

function withKnownTopics(read: readonly Read[], all: readonly topics.Topic[]): Read[] {
  const known = new Set(all.map(({ key }) => key))
  return read.map((one) => {
    const unknown = 'row' in one ? one.row.topics.find((key) => !known.has(key)) : undefined
    if (unknown === undefined) return one
    return { line: one.line, fault: `topics: ${unknown.slice(0, 64)} is not one of your topics` }
  })
}

async function store(
  tx: Db,
  { id: import_id, org_id, sandbox, vouched_at }: Import,
  sound: readonly { row: ConsentRow; email: string }[],
  byEmail: ReadonlyMap<string, contacts.Contact>,
  added: ReadonlySet<string>,
): Promise<void> {
  const open = sound.flatMap(({ row, email }) => {
    const contact = byEmail.get(email)
    return contact && contact.status !== 'unsubscribed' ? [{ row, contact }] : []
  })
  await consents.insertMany(
    tx,
    open.map(({ row: { source, given_at, ip = null, text_version = null, topics }, contact }) => ({
      ...{
        org_id,
        contact_id: contact.id,
        source,
        given_at,
        ip,
        text_version,
        topics,
        import_id,
        form_id: null,
        consent_text: null,
      },
    })),
    sandbox,
  )
  const about = { org_id, kind: 'imported' as const, source: 'import' as const, message_id: null, detail: null }
  await events.insertMany(
    tx,
    [...added].map((contact_id) => ({ ...about, contact_id })),
    sandbox,
  )
  await choices.addMissing(
    tx,
    open.flatMap(({ row, contact }) => (row.topics.length > 0 ? [{ id: contact.id, topics: row.topics }] : [])),
    sandbox,
  )
  const named = new Map(
    open.flatMap(({ row, contact }) => (row.name && contact.name === null ? [[contact.email, row.name]] : [])),
  )
  const noDetails = { written: null, isDetailed: true, attributes: {}, tags: [], user_id: null }
  await details.addMany(
    tx,
    org_id,
    [...named].map(([email, name]) => ({
      email: email as string,
      ...noDetails,
      name: name as string,
      written: byEmail.get(email as string)?.written ?? null,
    })),
    sandbox,
  )
  if (vouched_at === null && !(await vouchers.find(tx, org_id))) return
  const ids = [...new Map(open.map(({ row, contact }) => [contact.id, row.source]))]
  await confirmMany(
    tx,
    org_id,
    ids.map(([id, source]) => ({ id, source })),
    sandbox,
  )
}
