import { z } from 'zod'
import { config } from '#lib/config.ts'
import { parseAddress, toDomain } from '#lib/email-address.ts'
import { badRequest, type Fault } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { randomText } from '#lib/tokens.ts'
import * as audit from '#sql/account/audit.ts'
import type { Db } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import * as inbound from '#sql/email/inbound.ts'
import * as rows from '#sql/email/inbound-routes.ts'
import { simulatorDomain } from '#sql/email/simulator.ts'
import { checkInboundMx } from '#tasks/email/rules/domains/check-records.ts'
import { inboundHost } from '#tasks/email/rules/received/inbound-host.ts'
import { actorOfCall } from '../http/acting.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { InboundRoute, present } from './inbound/route-view.ts'
import { createRefusal, domainRefusals } from './messages/refusals.ts'
import { lookups } from './services.ts'

const maxPerOrg = 1_000

const exists = problem(409, 'route_exists', 'Another route already receives email for this address.')
const tooMany = problem(409, 'route_limit', `The organisation already has ${maxPerOrg} inbound routes.`)
const notVerified = domainRefusals[0] as (typeof domainRefusals)[number]

/** Names at `in.<host>` that are reserved for the installation (RFC 2142). */
const reserved = ['abuse', 'postmaster', 'mailer-daemon', 'hostmaster', 'security', 'noreply', 'no-reply']

export const create = route({
  method: 'POST',
  path: '/inbound-routes',
  summary: 'Create an inbound route',
  description:
    'Receives email for an address. Without `address`, Millrace creates a random address at the host of this installation. For your own domain or a subdomain, publish the MX record in the response. Email is accepted while the domain is verified.',
  scope: 'email:manage',
  limit: { perMinute: 120, by: 'org' },
  body: z.strictObject({
    address: z
      .string()
      .max(320)
      .optional()
      .describe(
        '`support@example.com`, `*@example.com` for all addresses of the host without another route, or `<name>@in.<host>`',
      ),
  }),
  status: 201,
  reply: InboundRoute,
  problems: [exists, tooMany, notVerified],
  example: { body: { address: 'support@example.com' } },
  async handle({ body, org, actor, requestId, ip, db }) {
    const wanted = body.address === undefined ? made() : read(body.address)
    if ('issue' in wanted) throw badRequest([wanted])
    const { host, local_part } = wanted
    const added = await db.transaction(async (tx) => {
      const domain_id = host === inboundHost() ? null : await domainIdOf(tx, org.id, host)
      await rows.lockHost(tx, host)
      const holder = await rows.findHolder(tx, host, local_part, org.id)
      if (holder) throw exists(taken[holder])
      const row = await rows.insert(tx, { id: newId(), org_id: org.id, domain_id, host, local_part }, maxPerOrg)
      if (!row)
        throw tooMany(`An organisation can have ${maxPerOrg} inbound routes. Delete one first.`, { max: maxPerOrg })
      const act = { action: 'email_inbound_route.created', target: row.id, after: { address: present(row).address } }
      await audit.append(tx, { ...actorOfCall({ org, actor, requestId, ip }), ...act })
      return row
    })
    return present(added)
  },
})

const taken = {
  own: 'This address is already one of your inbound routes.',
  other: 'Another organisation receives email for this address.',
}

type WantedAddress = Pick<rows.InboundRoute, 'host' | 'local_part'>

const made = (): WantedAddress => ({ host: inboundHost(), local_part: randomText().toLowerCase().slice(0, 16) })

function read(text: string): WantedAddress | Fault {
  const fault = (issue: string): Fault => ({ field: 'body.address', issue })
  const isAll = text.startsWith('*@')
  const parsed = isAll ? parseAddress(`all@${text.slice(2)}`) : parseAddress(text)
  if (typeof parsed === 'string') return fault(parsed)
  const { local, domain: host } = parsed
  if (local.includes('*')) return fault('must have only `*`, or no `*`, before the @')
  if (host === config.MAIL_HOSTNAME || host === simulatorDomain())
    return fault('must not be on the host of this installation')
  if (local.includes('+'))
    return fault('must not contain `+`. The route of name@ also receives email for name+anything@.')
  if (host !== inboundHost()) return { host, local_part: isAll ? null : local }
  if (isAll) return fault('must be one address, because all organisations share this host')
  if (local.length < 3) return fault('must have at least 3 characters before the @')
  if (reserved.includes(local)) return fault('is reserved for this installation. Choose another name.')
  return { host, local_part: local }
}

/**
 * Returns the ID of the organisation's verified domain that equals the host or is above it. Throws if there is none.
 */
async function domainIdOf(tx: Db, orgId: string, host: string): Promise<string> {
  const labels = host.split('.')
  const names = labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))
  const found = await domains.findMany(
    tx,
    names.slice(0, 20).flatMap((domain) => (toDomain(domain) === null ? [] : [{ org_id: orgId, domain }])),
  )
  const nearest = found.toSorted((a, b) => b.domain.length - a.domain.length)
  const domain = nearest.find(({ status }) => status === 'verified') ?? nearest[0]
  if (await inbound.isReturnPath(tx, host))
    throw badRequest([{ field: 'body.address', issue: 'must not be on a return path, which receives bounces' }])
  if (domain?.status === 'verified') return domain.id
  const message = domain
    ? `The domain ${domain.domain} is not verified. Publish its DNS records, then verify it.`
    : `${host} is not one of your domains. Add it first.`
  throw createRefusal({
    why: 'domain_not_verified',
    message,
    details: { domain: host, status: domain?.status ?? null },
  })
}

export const list = listRoute({
  path: '/inbound-routes',
  summary: 'List inbound routes',
  description: 'Returns the addresses and domains whose email Millrace accepts for the organisation.',
  scope: 'email:manage',
  item: InboundRoute,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

const params = z.object({ id: pathId('inbound route') })

export const verify = route({
  method: 'POST',
  path: '/inbound-routes/{id}/verify',
  repeatable: true,
  summary: 'Verify the MX record of an inbound route',
  description: 'Queries the name servers of the domain. Email is accepted even if the record is missing.',
  scope: 'email:manage',
  limit: { perMinute: 60, by: 'org' },
  params,
  status: 200,
  reply: InboundRoute.extend({
    state: domains.Check.shape.state.describe(
      'State of the MX record. `different`: the record names a different host. `unknown`: no response.',
    ),
    found: z.string().nullable(),
  }),
  problems: ['not_found'],
  async handle({ params: { id }, org, db, services }) {
    const row = await mustFind(rows.find(db, org.id, id), 'inbound route')
    const here = { state: 'found' as const, found: null }
    return { ...present(row), ...(row.domain_id === null ? here : await checkInboundMx(row.host, services(lookups))) }
  },
})

export const remove = removeRoute({
  path: '/inbound-routes/{id}',
  summary: 'Delete an inbound route',
  description: 'Email that was already received is kept until it expires or is deleted.',
  scope: 'email:manage',
  params,
  what: 'inbound route',
  remove: async ({ params: { id }, org, actor, requestId, ip, db }) => {
    const row = await mustFind(rows.remove(db, org.id, id), 'inbound route')
    const act = { action: 'email_inbound_route.deleted', target: id, before: { address: present(row).address } }
    await audit.append(db, { ...actorOfCall({ org, actor, requestId, ip }), ...act })
  },
})
