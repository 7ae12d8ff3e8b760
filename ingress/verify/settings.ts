import { z } from 'zod'
import { getDomain } from '#lib/email-address.ts'
import { badRequest } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import * as rows from '#sql/verify/settings.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'
import { Brand, CodeLength, Country, SenderAddress, Ttl } from './fields.ts'

const Template = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9_]{1,512}$/, 'must be the name of a template: a–z, 0–9 and _'),
    language: z.string().regex(/^[a-z]{2,3}(_[A-Z]{2,3})?$/, 'must be a WhatsApp language code: en or en_US'),
  })
  .meta({ id: 'verify.WhatsappTemplate' })

const shape = {
  brand: Brand.nullable().describe('Name of your product in the texts'),
  from_email: SenderAddress.nullable().describe(
    'Sender of emails, on a verified domain. Default: `verify@` your oldest verified domain.',
  ),
  whatsapp_template: Template.nullable().describe(
    'Approved authentication template with a button that copies the code. Required for `whatsapp`.',
  ),
  sms_sender: z
    .string()
    .regex(
      /^(\+[1-9][0-9]{6,14}|[A-Za-z0-9 ]{1,11})$/,
      'must be a number in E.164 format, or up to 11 letters and digits',
    )
    .nullable()
    .describe('Sender of text messages. Default: the sender of the SMS provider.'),
  code_length: CodeLength.describe('Number of digits, 4 to 10. Default: 6.'),
  ttl: Ttl.describe('Time in seconds for which a code is valid, 60 to 86,400. Default: 600.'),
  max_attempts: z.int().min(1).max(10).describe('Codes that can be checked per verification. Default: 5.'),
  max_sends: z.int().min(1).max(10).describe('Codes that are sent per verification. Default: 4.'),
  resend_after: z.int().min(5).max(3_600).describe('Seconds between two codes of a verification. Default: 30.'),
  countries: z
    .array(Country)
    .max(250)
    .transform((given) => [...new Set(given)])
    .describe('Countries of phone numbers. Default: none, so `sms` and `voice` are rejected and `whatsapp` is not.'),
  country_budgets: z
    .record(Country, z.int().min(0).max(1_000_000))
    .describe('Codes per day (UTC) by country. For example, `{"EE": 5000}`.'),
  country_budget: z.int().min(0).max(1_000_000).describe('Codes per day for each other country. Default: 1,000.'),
  per_recipient: z.int().min(1).max(100).describe('Codes per recipient and hour. Default: 5.'),
  per_network: z.int().min(1).max(100_000).describe('Codes per network of `ip` (/24 or /64) and hour. Default: 30.'),
  per_hour: z.int().min(1).max(1_000_000).describe('Codes of the organisation per hour. Default: 1,000.'),
  guard_required: z.boolean().describe('True if each start needs a `guard_token`. Default: `false`.'),
  guard_action: z
    .string()
    .regex(/^[A-Za-z0-9_.:/-]{1,100}$/, 'must be the action of a Guard form: letters, digits and _.:/-')
    .describe('Action of the Guard form. Default: `verify`.'),
  prefix_starts: z
    .int()
    .min(1)
    .max(100_000)
    .describe('Starts per range of 10,000 phone numbers and hour before the range can be blocked. Default: 20.'),
  prefix_conversion: z
    .int()
    .min(0)
    .max(100)
    .describe(
      'Percentage of approved verifications below which a range is blocked. 0 turns blocking off. Default: 10.',
    ),
  prefix_block_hours: z.int().min(1).max(720).describe('Hours for which a range is blocked. Default: 24.'),
}

const Settings = z
  .object({
    ...shape,
    from_email: z
      .string()
      .nullable()
      .describe(shape.from_email.description ?? ''),
    countries: z.array(z.string()).describe(shape.countries.description ?? ''),
    updated_at: Instant.nullable(),
  })
  .meta({ id: 'verify.Settings' })

export const read = route({
  method: 'GET',
  path: '/settings',
  summary: 'Read the settings',
  description: 'Returns the settings for verification codes. Settings that were never changed have their defaults.',
  scope: 'verify:read',
  testKeys: 'shared',
  status: 200,
  reply: Settings,
  async handle({ org, db }) {
    return await rows.find(db, org.id)
  },
})

export const update = route({
  method: 'PUT',
  path: '/settings',
  summary: 'Update the settings',
  description: 'Omitted fields keep their values. Changes apply to verifications that start later.',
  scope: 'verify:write',
  body: z.strictObject(shape).partial(),
  status: 200,
  reply: Settings,
  example: { body: { brand: 'Shop', countries: ['EE', 'FI'], guard_required: true } },
  async handle({ body: given, org, db }) {
    return await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'verify.settings')
      const { updated_at: _, ...before } = await rows.find(tx, org.id)
      const set = Object.entries(given)
      const changed = set.filter(([, value]) => value !== undefined)
      await checkSender(tx, org.id, given.from_email)
      return await rows.save(tx, org.id, { ...before, ...Object.fromEntries(changed) })
    })
  },
})

async function checkSender(db: Db, orgId: string, address: string | null | undefined): Promise<void> {
  if (address === null || address === undefined) return
  const domain = await domains.find(db, orgId, getDomain(address))
  if (domain?.status === 'verified') return
  throw badRequest([{ field: 'body.from_email', issue: 'must be on one of your verified domains' }])
}
