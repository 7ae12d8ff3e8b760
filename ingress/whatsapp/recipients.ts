import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { PhoneNumber } from '#lib/phone-number.ts'
import { UserId } from '#lib/user-id.ts'
import * as rows from '#sql/whatsapp/recipients.ts'
import { announceConsent } from '#tasks/people/rules/announce-consent.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'

const Recipient = z
  .object({
    id: Id,
    phone: z.string(),
    user_id: z.string().nullable().describe('Your own ID for the person. `null` if the number is not linked.'),
    consent: rows.Consent.nullable().describe('`null` if the person has not decided'),
    consent_source: z.string().nullable(),
    consent_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'whatsapp.Recipient' })

function present({ org_id: _, ...recipient }: rows.Recipient): z.input<typeof Recipient> {
  return recipient
}

const params = z.object({ phone: PhoneNumber.describe('Phone number in E.164 format. Encode `+` as `%2B`.') })

export const put = route({
  method: 'PUT',
  path: '/recipients/{phone}',
  summary: 'Link or change a recipient',
  description:
    'Links a phone number to a person and stores consent. Omitted fields do not change. After `denied`, messages return `400 recipient_opted_out`. If the person writes again, free-form messages are possible.',
  scope: 'whatsapp:send',
  params,
  body: z
    .strictObject({
      user_id: UserId.nullable().optional().describe('Your own ID for the person. `null` removes the link.'),
      consent: rows.Consent.optional(),
      consent_source: z.string().trim().min(1).max(200).optional().describe('Where the person decided'),
    })
    .refine(({ consent, consent_source }) => consent !== undefined || consent_source === undefined, {
      path: ['consent_source'],
      error: 'requires `consent`',
    }),
  status: 200,
  reply: Recipient,
  example: { body: { user_id: 'user-17', consent: 'granted', consent_source: 'checkout' } },
  async handle({ params: { phone }, body, org, db }) {
    return await db.transaction(async (tx) => {
      const before = await rows.find(tx, org.id, phone)
      const stored = await rows.put(tx, { org_id: org.id, phone }, body)
      const previous_state = before?.consent ?? 'none'
      const { org_id, user_id, consent: state, consent_source } = stored
      const source = consent_source ?? 'api'
      if (state) await announceConsent(tx, { org_id, user_id, channel: 'whatsapp', state, previous_state, source })
      return present(stored)
    })
  },
})

export const list = listRoute({
  path: '/recipients',
  summary: 'List recipients, newest first',
  description: 'Returns linked phone numbers and consent. `user_id` selects the numbers of one person.',
  scope: 'whatsapp:read',
  filters: rows.filters,
  query: { user_id: UserId.optional(), consent: rows.Consent.optional() },
  item: Recipient,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/recipients/{phone}',
  summary: 'Read a recipient',
  description: 'Returns the link of a phone number to a person, and the consent with its source and time.',
  scope: 'whatsapp:read',
  params,
  status: 200,
  reply: Recipient,
  problems: ['not_found'],
  async handle({ params: { phone }, org, db }) {
    return present(await mustFind(rows.find(db, org.id, phone), 'recipient'))
  },
})

export const remove = removeRoute({
  path: '/recipients/{phone}',
  summary: 'Delete a recipient',
  description: 'Deletes the link and the consent. Messages are not deleted.',
  scope: 'whatsapp:send',
  params,
  reply: { phone: z.string() },
  problems: ['not_found'],
  what: 'recipient',
  remove: ({ params: { phone }, org, db }) => rows.remove(db, org.id, phone),
})
