import { getDomain } from 'tldts'
import { z } from 'zod'
import { Domain } from '#lib/email-address.ts'
import { badRequest, notFound } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import * as audit from '#sql/account/audit.ts'
import * as domains from '#sql/email/domains.ts'
import { getLockRefusal } from '#tasks/email/rules/consent/stream-rules.ts'
import { checkRecords } from '#tasks/email/rules/domains/check-records.ts'
import { createKeys } from '#tasks/email/rules/domains/make-keys.ts'
import { recordChecks } from '#tasks/email/rules/domains/record-checks.ts'
import { actorOfCall } from '../http/acting.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { isFreeProvider } from './domains/mail-providers.ts'
import { DomainSummary, EmailDomain, present, summarize } from './domains/view.ts'
import { lookups } from './services.ts'

const maxPerOrg = 1_000

const exists = problem(409, 'domain_exists', 'The organisation already has this domain.')
const tooMany = problem(409, 'domain_limit', `The organisation already has ${maxPerOrg} domains.`)
const params = z.object({ domain: Domain })

export const create = route({
  method: 'POST',
  path: '/domains',
  summary: 'Add a domain to send from',
  description:
    'Returns the DNS records to publish. You can send from the domain after `verify` or the hourly check has found the required records.',
  scope: 'email:manage',
  limit: { perMinute: 30, by: 'org' },
  body: z.strictObject({
    domain: Domain.describe('Domain name, such as `example.com`. International names are allowed.'),
  }),
  status: 201,
  reply: EmailDomain,
  problems: [exists, tooMany],
  example: { body: { domain: 'example.com' } },
  async handle({ body: { domain }, org, actor, requestId, ip, db, services }) {
    const fault = faultOf(domain)
    if (fault) throw badRequest([{ field: 'body.domain', issue: fault }])
    const known = await domains.find(db, org.id, domain)
    if (known) throw exists(`${domain} is already one of your domains.`, { id: known.id })
    const made = { id: newId(), org_id: org.id, domain, return_path: `bounce.${domain}` }
    const keys = await createKeys(org.id, made.id, services(signingSecret))
    const added = await db.transaction(async (tx) => {
      const inserted = await domains.insert(tx, made, keys, maxPerOrg)
      const act = { action: 'email_domain.created', target: made.id, after: { domain } }
      if (inserted) await audit.append(tx, { ...actorOfCall({ org, actor, requestId, ip }), ...act })
      return inserted
    })
    if (added) return present(added, keys)
    const other = await domains.find(db, org.id, domain)
    if (other) throw exists(`${domain} is already one of your domains.`, { id: other.id })
    throw tooMany(`An organisation can have ${maxPerOrg} domains. Delete one first.`, { max: maxPerOrg })
  },
})

function faultOf(domain: string): string | undefined {
  if (getDomain(domain, { allowPrivateDomains: true }) === null)
    return `must be a domain that you own: ${domain} is a public suffix`
  if (isFreeProvider(domain)) return 'must be a domain that you own, not the domain of a mailbox provider'
  // DNS names below the domain need 35 more characters (RFC 1035 §2.3.4).
  if (domain.length > 210) return 'is too long for the DNS records below it'
  return undefined
}

export const list = listRoute({
  path: '/domains',
  summary: 'List domains with their status',
  description: 'Returns the sending domains with the result of the last check of SPF and DKIM.',
  scope: 'email:manage',
  testKeys: 'shared',
  item: DomainSummary,
  rows: ({ org, db }, page) => domains.list(db, org.id, page),
  present: summarize,
})

export const read = route({
  method: 'GET',
  path: '/domains/{domain}',
  summary: 'Read a domain with its DNS records',
  description: 'Returns the DNS records to publish and the result of the last check of SPF and DKIM.',
  scope: 'email:manage',
  testKeys: 'shared',
  locks: ['from_domains'],
  params,
  status: 200,
  reply: EmailDomain,
  problems: ['not_found'],
  async handle({ params: { domain }, org, key, db }) {
    if (getLockRefusal(domain, key.locks.from_domains)) throw notFound('domain')
    const found = await mustFind(domains.find(db, org.id, domain), 'domain')
    return present(found, await domains.listKeys(db, [found.id]))
  },
})

export const verify = route({
  method: 'POST',
  path: '/domains/{domain}/verify',
  repeatable: true,
  summary: 'Verify a domain',
  description:
    'Queries the name servers of the domain, so a record counts as soon as it is published. The response lists wrong records. A verified domain stays verified until three hourly checks in a row find a wrong record.',
  scope: 'email:manage',
  limit: { perMinute: 60, by: 'org' },
  params,
  status: 200,
  reply: EmailDomain,
  problems: ['not_found'],
  async handle({ params: { domain }, org, db, services }) {
    const found = await mustFind(domains.find(db, org.id, domain), 'domain')
    if (found.verified_by !== 'operator') {
      const checks = await checkRecords(found, await domains.listKeys(db, [found.id]), services(lookups))
      await db.transaction((tx) => recordChecks(tx, found.id, checks, { hourly: false }))
    }
    const now = await mustFind(domains.find(db, org.id, domain), 'domain')
    return present(now, await domains.listKeys(db, [now.id]))
  },
})

export const remove = removeRoute({
  path: '/domains/{domain}',
  summary: 'Delete a domain',
  description:
    'Also deletes the keys of the domain. Undelivered messages from the domain fail, because they can no longer be signed.',
  scope: 'email:manage',
  params,
  reply: { domain: z.string() },
  what: 'domain',
  remove: async ({ params: { domain }, org, actor, requestId, ip, db }) => {
    const target = await mustFind(domains.remove(db, org.id, domain), 'domain')
    const act = { action: 'email_domain.deleted', target, before: { domain } }
    await audit.append(db, { ...actorOfCall({ org, actor, requestId, ip }), ...act })
  },
})
