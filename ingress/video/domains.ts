import { isIP } from 'node:net'
import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { randomText } from '#lib/tokens.ts'
import * as audit from '#sql/account/audit.ts'
import * as certificates from '#sql/video/certificates.ts'
import * as domains from '#sql/video/domains.ts'
import { certifyDomain, enqueueCertificate } from '#tasks/video/certify-domain.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import { actorOfCall } from '../http/acting.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'
import { getHost } from '../playback/urls.ts'
import { Hostname } from './domains/hostname.ts'
import { assignDomain, findProof, lookupFailed, recordOf, taken, unproven } from './domains/proof.ts'

const maxPerOrg = 50

const exists = problem(409, 'domain_exists', 'The organisation already has this domain.')
const tooMany = problem(409, 'domain_limit', `The organisation already has ${maxPerOrg} domains.`)
const params = z.object({ domainId: Id })

const Domain = z
  .object({
    id: Id,
    hostname: z.string(),
    status: z.enum(['pending', 'verified', 'active']).describe('`active`: verified, and served with a certificate'),
    dnsRecord: z
      .object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
      .describe('Create this record, then call verify'),
    target: z
      .string()
      .nullable()
      .describe('Host name for the CNAME record of your domain. If `null`, ask the operator.'),
    verified_at: Instant.nullable(),
    certificate: z
      .object({
        state: certificates.CertificateState,
        message: z.string().nullable().describe('Current step, or the reason why there is no certificate yet'),
        expires_at: Instant.nullable(),
        next_attempt_at: Instant.nullable(),
      })
      .nullable()
      .describe('`null` until the domain is verified'),
    created_at: Instant,
  })
  .meta({ id: 'video.Domain' })

export const create = route({
  method: 'POST',
  path: '/domains',
  summary: 'Add a custom playback domain',
  description:
    'Returns the DNS record that verifies the domain. A domain that is not verified does not block other organisations.',
  scope: 'stream:write',
  body: z.strictObject({
    hostname: Hostname.describe('For example, `video.example.com`. International characters are allowed.'),
  }),
  status: 201,
  reply: Domain,
  problems: [exists, tooMany],
  example: { body: { hostname: 'video.example.com' } },
  async handle({ body: { hostname }, org, actor, requestId, ip, db, origin }) {
    if (hostname === getHost(getPublicBase(origin))) {
      throw badRequest([{ field: 'body.hostname', issue: 'must not be the host of this service' }])
    }
    const claim = { id: newId(), org_id: org.id, hostname, token: randomText() }
    const domain = await db.transaction(async (tx) => {
      const inserted = await domains.insert(tx, claim, maxPerOrg)
      const act = { action: 'video_domain.created', target: claim.id, after: { hostname } }
      if (inserted) await audit.append(tx, { ...actorOfCall({ org, actor, requestId, ip }), ...act })
      return inserted
    })
    if (domain) return present(domain, origin)
    const before = await domains.findByName(db, org.id, hostname)
    if (before) throw exists(`${hostname} is already one of your domains.`, { id: before.id })
    throw tooMany(`An organisation can have up to ${maxPerOrg} domains.`, { max: maxPerOrg })
  },
})

export const list = listRoute({
  path: '/domains',
  summary: 'List custom playback domains',
  description: 'Returns the domains from which players can load your videos, with the DNS record to create.',
  scope: 'stream:read',
  item: Domain,
  rows: ({ org, db }, page) => domains.list(db, org.id, page),
  present: (domain, { origin }) => present(domain, origin),
})

export const read = route({
  method: 'GET',
  path: '/domains/{domainId}',
  summary: 'Read a custom playback domain',
  description: 'Returns whether the domain is verified and whether its certificate was issued.',
  scope: 'stream:read',
  params,
  status: 200,
  reply: Domain,
  problems: ['not_found'],
  async handle({ params: { domainId }, org, db, origin }) {
    return present(await mustFind(domains.find(db, org.id, domainId), 'domain'), origin)
  },
})

/** Deletes a domain and its certificate. After a few seconds, all processes reject TLS connections for this domain. */
export const remove = removeRoute({
  path: '/domains/{domainId}',
  summary: 'Remove a custom playback domain',
  description: 'Playback URLs on this domain stop working.',
  scope: 'stream:write',
  params,
  what: 'domain',
  remove: async ({ params: { domainId }, org, actor, requestId, ip, db }) => {
    const hostname = await mustFind(domains.remove(db, org.id, domainId), 'domain')
    await domains.notifyChanged(db, hostname)
    const act = { action: 'video_domain.deleted', target: domainId, before: { hostname } }
    await audit.append(db, { ...actorOfCall({ org, actor, requestId, ip }), ...act })
  },
})

export const verify = route({
  method: 'POST',
  path: '/domains/{domainId}/verify',
  repeatable: true,
  summary: 'Verify a domain and order its certificate',
  description:
    'Returns when the domain is verified. The certificate is issued within minutes. Then `status` is `active`. For a verified domain, retries a failed order as soon as the certificate authority allows it.',
  scope: 'stream:write',
  limit: { perMinute: 20, by: 'org' },
  enqueues: certifyDomain,
  params,
  status: 201,
  reply: Domain,
  problems: ['not_found', unproven, lookupFailed, taken],
  async handle({ params: { domainId }, org, db, origin, services }) {
    const domain = await mustFind(domains.find(db, org.id, domainId), 'domain')
    const texts = domain.verified_at ? null : await findProof(domain, services)
    await db.transaction(async (tx) => {
      if (texts) await assignDomain(tx, domain, texts)
      await certificates.request(tx, domain.id)
      await enqueueCertificate(tx, domain.id, org.id)
    })
    return present(await mustFind(domains.find(db, org.id, domainId), 'domain'), origin)
  },
})

function present(domain: domains.Domain, origin: string): z.input<typeof Domain> {
  const { id, hostname, verified_at, created_at } = domain
  const target = getHost(getPublicBase(origin))
  return {
    id,
    hostname,
    status: statusOf(domain),
    verified_at,
    created_at,
    dnsRecord: { type: 'TXT' as const, ...recordOf(domain) },
    target: isIP(target.replace(/^\[|\]$/g, '')) !== 0 || target === 'localhost' ? null : target,
    certificate: certificateOf(domain),
  }
}

function statusOf({ verified_at, not_after }: domains.Domain): 'pending' | 'verified' | 'active' {
  if (!verified_at) return 'pending'
  return not_after && not_after > new Date() ? 'active' : 'verified'
}

function certificateOf(domain: domains.Domain) {
  const { certificate_state: state, reason, not_after: expires_at, due_at } = domain
  if (state === null) return null
  const waits = state === 'off' || state === 'failed'
  const message = state === 'ordering' ? 'The certificate is being ordered.' : waits ? reason : null
  return { state, message, expires_at, next_attempt_at: waits ? due_at : null }
}
