import { getCountries } from 'libphonenumber-js'
import { z } from 'zod'
import * as rows from '#sql/sms/settings.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'
import { Text } from './fields.ts'

const known = new Set<string>(getCountries())

export const Country = z
  .string()
  .refine((code) => known.has(code), 'must be a country with telephones: two capital letters, such as EE')

/** Number of characters of an answer. Two segments of other alphabets. */
const maxAnswer = 134

const Answer = Text.max(maxAnswer).nullable()

const SettingsForm = z.strictObject({
  countries: z
    .array(Country)
    .max(250)
    .nullable()
    .default(null)
    .describe('Countries to which you send. `null`: only the country of the sender’s number. Empty: none.'),
  allow_premium: z
    .boolean()
    .default(false)
    .describe('True to also send to premium, shared cost, personal and company numbers'),
  stop_scope: z
    .enum(['organisation', 'sender'])
    .default('organisation')
    .describe('Whether STOP applies to all your senders, or only to the one that received it'),
  stop_text: Answer.default(null).describe('Answer to STOP. `null`: none, because many providers answer.'),
  start_text: Answer.default(null).describe('Answer to START'),
  help_text: Answer.default(null).describe('Answer to HELP'),
})

const Settings = z
  .object({
    countries: z.array(z.string()).nullable(),
    allow_premium: z.boolean(),
    stop_scope: z.enum(['organisation', 'sender']),
    stop_text: z.string().nullable(),
    start_text: z.string().nullable(),
    help_text: z.string().nullable(),
    updated_at: Instant.nullable().describe('`null` if nothing was changed'),
  })
  .meta({ id: 'sms.Settings' })

const present = ({ countries, ...row }: rows.CurrentSettings): z.input<typeof Settings> => ({
  countries,
  allow_premium: row.allow_premium,
  stop_scope: row.stop_scope,
  stop_text: row.stop_text,
  start_text: row.start_text,
  help_text: row.help_text,
  updated_at: row.updated_at,
})

export const read = route({
  method: 'GET',
  path: '/settings',
  summary: 'Read the SMS settings',
  description: 'Returns the allowed countries and the answers to keywords.',
  scope: 'sms:read',
  status: 200,
  reply: Settings,
  handle: async ({ org, db }) => present(await rows.find(db, org.id)),
})

export const put = route({
  method: 'PUT',
  path: '/settings',
  summary: 'Update the SMS settings',
  description: 'Replaces all settings. Omitted fields get their default. Pending messages use the new settings.',
  scope: 'sms:manage',
  body: SettingsForm,
  status: 200,
  reply: Settings,
  example: {
    body: { countries: ['EE', 'FI'], stop_text: 'You will receive no more messages. Reply START to return.' },
  },
  async handle({ body, org, db }) {
    const countries = body.countries === null ? null : [...new Set(body.countries)].sort()
    return present(await rows.put(db, org.id, { ...body, countries }))
  },
})
