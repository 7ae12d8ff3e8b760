import { z } from 'zod'
import { parseAddress } from '#lib/email-address.ts'
import { route } from '../http/route.ts'
import type { MailDomain } from './domains/mail-domains.ts'
import { findLikelyProvider, isDisposable, isFreeProvider, isRole } from './domains/mail-providers.ts'
import { mailDomains } from './services.ts'

/** Timeouts in milliseconds for the lookups of one email address and of many. */
const [oneMs, manyMs] = [8_000, 20_000]

const reasons = {
  ok: 'the domain accepts email and no list contains the address',
  syntax: 'the text is not an email address',
  no_mail_server: 'the domain does not exist or accepts no email',
  bad_mx: 'every MX record of the domain names an IP address or localhost instead of a host',
  null_mx: 'the domain declares that it accepts no email (RFC 7505)',
  dns: 'the domain lookup failed temporarily',
  disposable: 'the domain offers disposable addresses',
  typo: 'the domain looks like a misspelt well-known domain',
  implicit_mx: 'the domain has no MX record, only an IP address',
  role: 'the address belongs to a role, not to a person',
} as const

const answered = z.boolean().nullable()

const Verdict = z
  .object({
    email: z.string().describe('Address in its stored form, or unchanged if it is not a valid address'),
    verdict: z.enum(['deliverable', 'risky', 'undeliverable', 'unknown']),
    valid: answered.describe('True if the address can receive email. `null` if unknown.'),
    reason: z.enum(Object.keys(reasons) as (keyof typeof reasons)[]).describe(
      Object.entries(reasons)
        .map(([name, why]) => `${name}: ${why}`)
        .join('; '),
    ),
    detail: z.string().nullable().describe('Syntax error. `null` if there is none.'),
    did_you_mean: z.string().nullable(),
    checks: z
      .object({
        syntax: z.boolean(),
        mx: answered,
        null_mx: answered,
        free_provider: answered,
        role: answered,
        disposable: answered,
        typo: answered,
      })
      .describe('`null` if unknown'),
  })
  .meta({ id: 'email.Verdict' })

// Not validated as an email address, because this route checks the syntax.
const Text = z.string().min(1).max(1_000)

export const one = route({
  method: 'POST',
  path: '/verify',
  repeatable: true,
  summary: 'Verify an email address',
  description:
    'Checks syntax, DNS and lists. Millrace does not ask the receiving server whether the mailbox exists, because many servers accept every name and such requests harm the sender’s reputation.',
  scope: 'email:send',
  testKeys: 'shared',
  locks: [],
  limit: { perMinute: 600, by: 'org' },
  body: z.strictObject({ email: Text }),
  status: 200,
  reply: Verdict,
  example: { body: { email: 'ada@gmial.com' } },
  async handle({ body: { email }, services }) {
    const [verdict] = await judgeAll([email], (domains) => services(mailDomains).lookUp(domains, Date.now() + oneMs))
    return verdict as z.input<typeof Verdict>
  },
})

export const bulk = route({
  method: 'POST',
  path: '/verify/bulk',
  repeatable: true,
  summary: 'Verify up to 1,000 email addresses',
  description: `Verifies up to 1,000 addresses. Domains that could not be looked up within ${manyMs / 1000} s are \`unknown\`.`,
  scope: 'email:send',
  testKeys: 'shared',
  locks: [],
  limit: { perMinute: 30, by: 'org' },
  bodyLimit: 2 * 1024 * 1024,
  itemsApart: 'emails',
  body: z.strictObject({ emails: z.array(Text).min(1).max(1_000) }),
  status: 200,
  reply: z.object({ results: z.array(Verdict).describe('Results in the order of `emails`') }),
  async handle({ body: { emails }, services }) {
    return {
      results: await judgeAll(emails, (domains) => services(mailDomains).lookUp(domains, Date.now() + manyMs)),
    }
  },
})

async function judgeAll(
  texts: readonly string[],
  lookUp: (domains: string[]) => Promise<ReadonlyMap<string, MailDomain>>,
): Promise<z.input<typeof Verdict>[]> {
  const parsed = texts.map((text) => ({ text, address: parseAddress(text.trim()) }))
  const found = await lookUp(parsed.flatMap(({ address }) => (typeof address === 'string' ? [] : [address.domain])))
  return parsed.map(({ text, address }) => {
    if (typeof address === 'string') return malformed(text, address)
    return judge(address, found.get(address.domain) ?? { takes: 'unknown', hosts: [] })
  })
}

const malformed = (email: string, detail: string): z.input<typeof Verdict> => ({
  email,
  verdict: 'undeliverable',
  valid: false,
  reason: 'syntax',
  detail,
  did_you_mean: null,
  checks: { syntax: false, mx: null, null_mx: null, free_provider: null, role: null, disposable: null, typo: null },
})

function judge(
  { address, local, domain }: { address: string; local: string; domain: string },
  { takes }: MailDomain,
): z.input<typeof Verdict> {
  const isKnown = takes !== 'unknown'
  const meant = findLikelyProvider(domain, takes === 'nothing' ? 2 : 1)
  const checks = {
    syntax: true,
    mx: isKnown ? takes === 'mx' : null,
    null_mx: isKnown ? takes === 'null_mx' : null,
    free_provider: isFreeProvider(domain),
    role: isRole(local),
    disposable: isDisposable(domain),
    typo: meant !== undefined,
  }
  const [verdict, reason] = verdictOf(takes, checks)
  const valid = verdict === 'unknown' ? null : verdict !== 'undeliverable'
  const did_you_mean = meant === undefined ? null : `${local}@${meant}`
  return { email: address, verdict, valid, reason, detail: null, did_you_mean, checks }
}

function verdictOf(
  takes: MailDomain['takes'],
  checks: { disposable: boolean; typo: boolean; role: boolean },
): [z.input<typeof Verdict>['verdict'], keyof typeof reasons] {
  if (takes === 'nothing') return ['undeliverable', 'no_mail_server']
  if (takes === 'null_mx' || takes === 'bad_mx') return ['undeliverable', takes]
  if (takes === 'unknown') return ['unknown', 'dns']
  if (checks.disposable) return ['risky', 'disposable']
  if (checks.typo) return ['risky', 'typo']
  if (takes === 'implicit_mx') return ['risky', 'implicit_mx']
  if (checks.role) return ['risky', 'role']
  return ['deliverable', 'ok']
}
