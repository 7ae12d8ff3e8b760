import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Whether a person agreed to be written to; who unsubscribed never receives the subscribed stream again. */
export const ContactStatus = z.enum(['confirmed', 'unconfirmed', 'unsubscribed'])

/** Whether a person agreed to be written to. */
export type ContactStatus = z.infer<typeof ContactStatus>

/** People that organisations write to. */
export const table = defineTable(
  'email',
  'contacts',
  z.object({
    id: Id,
    org_id: Id,
    email: z.string(),
    status: ContactStatus,
    consent_source: z.string().nullable(),
    created_at: z.date(),
    confirmed_at: z.date().nullable(),
    unsubscribed_at: z.date().nullable(),
    asked_at: z.date().nullable(),
  }),
)

/** A person that an organisation writes to. */
export const Contact = table.Row

/** The parsed row. */
export type Contact = z.infer<typeof Contact>

const columns = table.columns()

/** An organisation's contact by its address, in the form of lib/email-address. */
export async function find(db: Db, orgId: string, email: string): Promise<Contact | null> {
  return await db.maybeOne(
    sql.type(Contact)`select ${columns} from email.contacts where org_id = ${orgId} and email = ${email}`,
  )
}

/** The contacts of organisations by their addresses; addresses that are no contacts have none. */
export async function findMany(
  db: Db,
  wanted: readonly { org_id: string; email: string }[],
): Promise<readonly Contact[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(Contact)`
    select ${table.columns('c')} from email.contacts as c
    join ${sql.unnest(
      wanted.map(({ org_id, email }) => [org_id, email]),
      ['uuid', 'text'],
    )} as w (org_id, email) on c.org_id = w.org_id and c.email = w.email`)
}

/** Up to `count` contacts in a state, by their ids, behind `after`; pages of a campaign. */
export async function pageOf(
  db: Db,
  orgId: string,
  status: ContactStatus,
  after: string | null,
  count: number,
): Promise<readonly Contact[]> {
  return await db.any(sql.type(Contact)`
    select ${columns} from email.contacts
    where org_id = ${orgId} and status = ${status} and (${after}::uuid is null or id > ${after})
    order by id limit ${count}`)
}
