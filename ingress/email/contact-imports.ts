import { z } from 'zod'
import { parseAddress } from '#lib/email-address.ts'
import { Int4 } from '#lib/input-types.ts'
import * as events from '#sql/email/contact-events.ts'
import * as contacts from '#sql/email/contacts.ts'
import { route } from '../http/route.ts'
import { maxImport, readContactsCsv } from './contacts-csv.ts'
import { demandRoom, isSandbox, sandboxLimit } from './sandbox.ts'

/** Bad lines that an answer names. */
const maxErrors = 100

/** Adds up to 10,000 contacts, who are still to be asked. */
export const create = route({
  method: 'POST',
  path: '/contacts/import',
  summary: 'Import contacts',
  description:
    'The contacts are `unconfirmed`: `reconfirm` asks them. Takes JSON, or a CSV file (`content-type: text/csv`) that has a column ' +
    '`email`. Contacts that are there already keep their state; a bad line keeps no other from being imported.',
  scope: 'email:manage',
  limit: { perMinute: 60, by: 'org' },
  bodyLimit: 4 * 1024 * 1024,
  alsoTakes: { 'text/csv': readContactsCsv },
  body: z.strictObject({
    contacts: z
      .array(
        z.strictObject({
          email: z.string().describe('A bad one is told in `errors`'),
          line: Int4.min(1).optional().describe('By which a bad one is named; its place in the list unless said'),
        }),
      )
      .min(1)
      .max(maxImport),
  }),
  status: 200,
  reply: z
    .object({
      imported: z.int(),
      existing: z.int().describe('There already, or earlier in the list'),
      invalid: z.int(),
      errors: z.array(z.object({ line: z.int(), issue: z.string() })).describe(`The first ${maxErrors} bad lines`),
    })
    .meta({ id: 'email.Import' }),
  problems: [sandboxLimit],
  example: { body: { contacts: [{ email: 'ann@example.net' }, { email: 'bob@example.net' }] } },
  async handle({ body, org, key, db }) {
    const read = body.contacts.map(({ email, line }, i) => ({
      line: line ?? i + 1,
      address: parseAddress(email.trim()),
    }))
    const errors = read.flatMap(({ line, address }) => (typeof address === 'string' ? [{ line, issue: address }] : []))
    const emails = read.flatMap(({ address }) => (typeof address === 'string' ? [] : [address.address]))
    const added = await db.transaction(async (tx) => {
      const inSandbox = isSandbox(key)
      if (inSandbox) await demandRoom(tx, org.id, emails)
      const ids = await contacts.insertUnconfirmed(tx, org.id, [...new Set(emails)], inSandbox)
      const about = {
        org_id: org.id,
        kind: 'imported' as const,
        source: 'import' as const,
        message_id: null,
        detail: null,
      }
      await events.insertMany(
        tx,
        ids.map((contact_id) => ({ ...about, contact_id })),
        inSandbox,
      )
      return ids.length
    })
    return {
      imported: added,
      existing: emails.length - added,
      invalid: errors.length,
      errors: errors.slice(0, maxErrors),
    }
  },
})
