import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { isOlder, type Page } from '../../filters.ts'
import { defineTable, getColumns } from '../../table.ts'
import { ContactStatus, tableFor } from '../contacts.ts'

/** Evidence of consent. */
export const table = defineTable(
  'email',
  'consents',
  z.object({
    id: Id,
    org_id: Id,
    contact_id: Id,
    source: z.string(),
    given_at: z.date(),
    ip: z.string().nullable(),
    text_version: z.string().nullable(),
    consent_text: z.string().nullable(),
    topics: z.array(z.string()),
    import_id: Id.nullable(),
    form_id: Id.nullable(),
    created_at: z.date(),
  }),
)

export const sandboxTable = defineTable('email', 'sandbox_consents', table.Row)

export type Consent = z.infer<typeof table.Row>

export type NewConsent = Omit<Consent, 'id' | 'created_at' | 'given_at'> & { given_at: string }

/** Evidence that the contact already has does not change. */
export async function insertMany(tx: Db, consents: readonly NewConsent[], sandbox: boolean): Promise<void> {
  if (consents.length === 0) return
  const rows = consents.map((consent) => ({ id: newId(), ...consent }))
  await tx.query(sql.typeAlias('void')`
    ${(sandbox ? sandboxTable : table).insertMany(rows)} on conflict (contact_id, given_at, source) do nothing`)
}

export async function listOf(db: Db, contactId: string, sandbox: boolean): Promise<readonly Consent[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from ${(sandbox ? sandboxTable : table).name} where contact_id = ${contactId}
    order by id limit 100`)
}

export const ConsentWithContact = table.Row.extend({ email: z.string(), status: ContactStatus })

export type ConsentWithContact = z.infer<typeof ConsentWithContact>

export const filters = { import_id: table.equals('import_id', 'e'), form_id: table.equals('form_id', 'e') }

/** Returns evidence with its contact, newest first. */
export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
  sandbox: boolean,
): Promise<readonly ConsentWithContact[]> {
  return await db.any(sql.type(ConsentWithContact)`
    select ${getColumns(table.Row, 'e')}, c.email, c.status from ${(sandbox ? sandboxTable : table).name} as e
    join ${tableFor(sandbox)} as c on c.id = e.contact_id
    where e.org_id = ${orgId} and ${where} and ${isOlder(before, ['e', 'id'])} order by e.id desc limit ${limit}`)
}
