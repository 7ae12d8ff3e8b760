import { z } from 'zod'
import { publicUrl } from '#lib/config.ts'
import { Address } from '#lib/email-address.ts'
import { forbidden } from '#lib/errors.ts'
import { secret } from '#lib/secret-fields.ts'
import * as contacts from '#sql/email/contacts.ts'
import { preferencesUrl, signPreferences } from '#tasks/email/rules/consent/preferences-link.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { line } from './fields.ts'
import { isSandbox } from './messages/sandbox.ts'

const longestSeconds = 90 * 86_400

export const create = route({
  method: 'POST',
  path: '/contacts/{email}/preferences-tokens',
  repeatable: true,
  summary: 'Create a preferences token',
  description:
    'Returns a link to the contact’s preference page, and a token for `<mill-preferences>` on your own page. Both end when the token expires or its API key is revoked. With the `notify:write` scope, they also show the notification preferences of the person.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  params: z.object({ email: Address }),
  body: z
    .strictObject({
      ttl_seconds: z.int().min(60).max(longestSeconds).default(3_600).describe('Time to live in seconds'),
      user_id: line(255)
        .min(1)
        .optional()
        .describe('Your own ID of the person in the notify area. Default: the person with the same email address.'),
    })
    .optional(),
  status: 200,
  reply: z.object({
    url: secret(z.url()).describe('URL of the preference page'),
    token: secret(z.string()).describe('Token for `<mill-preferences>`'),
    expires_at: Instant,
  }),
  problems: ['not_found', 'forbidden'],
  async handle({ params: { email }, body: { ttl_seconds = 3_600, user_id } = {}, org, key, db, services }) {
    const sandbox = isSandbox(key)
    const notify = key.scopes.includes('notify:write')
    if (user_id !== undefined && !notify) throw forbidden('This API key does not have the `notify:write` scope.')
    const contact = await mustFind(contacts.find(db, org.id, email, sandbox), 'contact')
    const exp = Math.floor(Date.now() / 1000) + ttl_seconds
    const about = { org: org.id, key: key.id, contact: contact.id, sandbox, notify, user: user_id ?? null, exp }
    const token = signPreferences(about, services(signingSecret))
    return { url: preferencesUrl(publicUrl(), token), token, expires_at: new Date(exp * 1000) }
  },
})
