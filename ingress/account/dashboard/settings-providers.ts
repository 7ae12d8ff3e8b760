import { z } from 'zod'
import { Domain } from '#lib/email-address.ts'
import { findOutboundFault } from '#lib/http.ts'
import { connectProvider, disconnectProvider, setEmailVerification } from '#tasks/account/rules/providers.ts'
import { callbackUrl } from '../../http/dashboard/callback.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { checkBoxes, field, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { pathId } from '../../http/request/validate.ts'
import { signingSecret } from '../../http/services.ts'
import { parseInput, splitWords } from './input.ts'
import { section } from './settings.ts'

/** Schema of an issuer’s URL. A URL without TLS must be on this machine, and local addresses must be allowed. */
const Issuer = z
  .string()
  .trim()
  .max(500)
  .superRefine((text, context) => {
    const message = faultOfIssuer(text)
    if (message) context.addIssue({ code: 'custom', message })
  })

function faultOfIssuer(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url) return 'must be a URL: https://…'
  const isLocal = url.protocol === 'http:' && /^(localhost|127\.0\.0\.1)$/.test(url.hostname)
  if (url.protocol !== 'https:' && !isLocal) return 'must start with https://'
  if (url.username || url.password || url.search || url.hash) return 'must not contain a user name, query or fragment'
  return findOutboundFault(url)
}

const Provider = z.object({
  issuer: Issuer,
  client_id: z.string().trim().min(1).max(300),
  client_secret: z.string().min(1).max(1_000),
  domains: z.array(Domain).min(1).max(50),
  required: z.boolean(),
  default_role: z.enum(['admin', 'developer', 'viewer']),
  takes_unmarked_email: z.boolean(),
})

const text = z.string().max(10_000)
const roles = ['viewer', 'developer', 'admin'].map((role) => [role, role] as const)

export const { show: askForProvider, submit: connect } = formPage({
  path: '/settings/providers/new',
  summary: 'Connect an identity provider',
  section,
  permission: 'sso',
  stepUp: true,
  fields: z.object({
    issuer: text,
    client_id: text,
    client_secret: text,
    domains: text,
    default_role: z.enum(['admin', 'developer', 'viewer']),
    required: z.literal('yes').optional(),
    takes_unmarked_email: z.literal('yes').optional(),
  }),
  async view({ member, filled, fault, host }) {
    const secretField = (described: Html) =>
      html`<input id="client_secret" name="client_secret" type="password" autocomplete="off" required${described}>`
    const main = html`${parentLink('Settings', section.path)}<h1>Connect an identity provider</h1>${renderFault(fault)}
<p class="lead">Connect any provider that supports OpenID Connect. Register <code class="break">${callbackUrl(host)}</code> there as the redirect URL.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'issuer', label: 'Issuer', type: 'url', required: true, hint: 'For example, https://login.example.com. Millrace reads the discovery document under this URL.' })}
${textField(filled, { name: 'client_id', label: 'Client ID', required: true })}
${field(filled, { name: 'client_secret', label: 'Client secret', hint: 'Millrace encrypts the secret and never shows it.', control: secretField })}
${textField(filled, { name: 'domains', label: 'Domains', required: true, hint: 'Email domains of the members who sign in with this provider. Each domain must be verified in Millrace.' })}
${selectField(filled, { name: 'default_role', label: 'Default role of new members', options: roles, otherwise: 'viewer' })}
${checkBoxes(filled, { name: 'required', label: 'Other sign-in methods', options: [['yes', 'Members with these email domains must sign in with this provider']] })}
${checkBoxes(filled, { name: 'takes_unmarked_email', label: 'Email verification', options: [['yes', 'The provider does not return email_verified. Accept its email addresses in verified domains.']] })}
<button>Connect identity provider</button></form>`
    return { title: 'Connect an identity provider', main }
  },
  async submit({ db, doer, given, services }) {
    const wanted = parseInput(Provider, {
      ...given,
      domains: splitWords(given.domains) ?? [],
      required: given.required === 'yes',
      takes_unmarked_email: given.takes_unmarked_email === 'yes',
    })
    await db.transaction((tx) => connectProvider(tx, doer, wanted, services(signingSecret)))
    return { to: section.path, told: `${wanted.issuer} connected.` }
  },
})

export const verifyEmail = action({
  path: '/settings/providers/{id}/email-verification',
  summary: 'Set email verification for an identity provider',
  permission: 'sso',
  stepUp: true,
  params: z.object({ id: pathId('identity provider') }),
  fields: z.object({ by: z.enum(['claim', 'domain']) }),
  back: () => section.path,
  async perform({ db, doer, params: { id }, given: { by } }) {
    await db.transaction((tx) => setEmailVerification(tx, doer, id, by === 'domain'))
    return { to: section.path, told: 'Email verification changed.' }
  },
})

export const disconnect = action({
  path: '/settings/providers/{id}/disconnect',
  summary: 'Disconnect an identity provider',
  permission: 'sso',
  stepUp: true,
  params: z.object({ id: pathId('identity provider') }),
  back: () => section.path,
  async perform({ db, doer, params: { id } }) {
    await db.transaction((tx) => disconnectProvider(tx, doer, id))
    return { to: section.path, told: 'Identity provider disconnected. Its members can now sign in by email.' }
  },
})
