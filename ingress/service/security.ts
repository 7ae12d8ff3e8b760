import { config } from '#lib/config.ts'
import { notFound } from '#lib/errors.ts'
import { openPage } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'

/** Days until the file expires. RFC 9116 §2.5.5 recommends less than a year. */
const validDays = 180

/** Tells researchers where they report vulnerabilities (RFC 9116). Returns 404 if `SECURITY_CONTACT` is not set. */
export const securityText = route({
  ...openPage,
  path: '/.well-known/security.txt',
  summary: 'Get the contact for reports of vulnerabilities',
  raw: 'text/plain; charset=utf-8',
  problems: ['not_found'],
  async handle({ ctx, origin }) {
    if (!config.SECURITY_CONTACT) throw notFound('security.txt. The operator can set `SECURITY_CONTACT`')
    ctx.type = 'text/plain; charset=utf-8'
    ctx.set('cache-control', 'no-cache')
    ctx.body = securityLines(config.SECURITY_CONTACT, origin).join('')
  },
})

function securityLines(contact: string, origin: string): string[] {
  const midnight = new Date().setUTCHours(0, 0, 0, 0)
  const policy = config.SECURITY_POLICY_URL
  return [
    `Contact: ${contact}\n`,
    `Expires: ${new Date(midnight + validDays * 86_400_000).toISOString().replace('.000', '')}\n`,
    'Preferred-Languages: en\n',
    `Canonical: ${origin}/.well-known/security.txt\n`,
    ...(policy ? [`Policy: ${policy}\n`] : []),
  ]
}
