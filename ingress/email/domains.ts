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
import { recordChecks, recordTrackingCheck } from '#tasks/email/rules/domains/record-checks.ts'
import { checkTrackingHost, replaceTrackingHost } from '#tasks/email/rules/domains/tracking-host.ts'
import { actorOfCall } from '../http/acting.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { isFreeProvider } from './domains/mail-providers.ts'
import { DomainSummary, EmailDomain, present, presentWhole, summarize } from './domains/view.ts'
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
    if (added) return present(added, keys, null)
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
  tool: { name: 'list_email_domains' },
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
  tool: { name: 'get_email_domain' },
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
    return await presentWhole(db, found)
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
    } else if (found.tracking_host !== null) {
      const check = await checkTrackingHost(found.tracking_host, services(lookups))
      await db.transaction((tx) => recordTrackingCheck(tx, found.id, check))
    }
    return await presentWhole(db, await mustFind(domains.find(db, org.id, domain), 'domain'))
  },
})

const hostExists = problem(409, 'tracking_host_exists', 'The organisation already uses this host name.')

const Tracking = z.strictObject({
  track_opens: z.boolean().optional().describe('Add an image to HTML messages that reports opens. Default: false.'),
  track_clicks: z.boolean().optional().describe('Replace the links of HTML messages by tracked links. Default: false.'),
  tracking_host: Domain.nullable()
    .optional()
    .describe(
      'Your host name for tracked links, below the domain, such as `links.example.com`. Default: the host of this API. Links on a previous host stop working.',
    ),
})

export const update = route({
  method: 'PATCH',
  path: '/domains/{domain}',
  summary: 'Update the tracking of a domain',
  description:
    'Turns the tracking of opens and clicks on or off, for messages that are sent from now on. Messages of the streams `security` and `repermission` are never tracked. With `tracking_host`, publish its DNS record, then verify the domain.',
  scope: 'email:manage',
  limit: { perMinute: 120, by: 'org' },
  params,
  body: Tracking.refine((body) => Object.values(body).some((value) => value !== undefined), {
    error: 'must contain at least one field to change',
  }),
  status: 200,
  reply: EmailDomain,
  problems: ['not_found', hostExists],
  example: { body: { track_opens: true, track_clicks: true, tracking_host: 'links.example.com' } },
  async handle({ params: { domain }, body, org, actor, requestId, ip, db }) {
    const { tracking_host: host } = body
    const changed = await db.transaction(async (tx) => {
      const before = await mustFind(domains.lockByName(tx, org.id, domain), 'domain')
      if (typeof host === 'string') {
        const fault = faultOfHost(host, before)
        if (fault) throw badRequest([{ field: 'body.tracking_host', issue: fault }])
      }
      const isNew = host !== undefined && host !== before.tracking_host
      if (isNew && !(await replaceTrackingHost(tx, org.id, before.tracking_host, host)))
        throw hostExists(`${host} is already one of your host names.`)
      const changes = { ...body, track_opens: body.track_opens ?? before.track_opens }
      if (!isNew) delete changes.tracking_host
      const after = await domains.setTracking(tx, before.id, changes)
      const settings = ({ track_opens, track_clicks, tracking_host }: domains.EmailDomain) => ({
        track_opens,
        track_clicks,
        tracking_host,
      })
      const act = {
        action: 'email_domain.updated',
        target: before.id,
        before: settings(before),
        after: settings(after),
      }
      await audit.append(tx, { ...actorOfCall({ org, actor, requestId, ip }), ...act })
      return after
    })
    return await presentWhole(db, changed)
  },
})

function faultOfHost(host: string, { domain, return_path }: domains.EmailDomain): string | undefined {
  if (!host.endsWith(`.${domain}`)) return `must be a host below the domain, such as links.${domain}`
  if (host === return_path) return 'must not be the return path of the domain'
  // A certificate has at most 64 characters in its common name, and DNS labels below the host need room.
  return host.length > 230 ? 'must have at most 230 characters' : undefined
}

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
    const found = await mustFind(domains.lockByName(db, org.id, domain), 'domain')
    await replaceTrackingHost(db, org.id, found.tracking_host, null)
    const target = await mustFind(domains.remove(db, org.id, domain), 'domain')
    const act = { action: 'email_domain.deleted', target, before: { domain } }
    await audit.append(db, { ...actorOfCall({ org, actor, requestId, ip }), ...act })
  },
})
