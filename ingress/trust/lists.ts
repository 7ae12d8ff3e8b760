import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as listings from '#sql/trust/listings.ts'
import { canonicalizeUrl } from '#sql/trust/safe-browsing/canonical-url.ts'
import { isPublicSuffix } from '#sql/trust/safe-browsing/hosts.ts'
import { waitForCaches } from '#tasks/trust/rules/known-everywhere.ts'
import { emit } from '#tasks/webhooks/rules/emit.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'

const Listing = z.object({
  id: Id,
  hostname: z.string(),
  policy: z.enum(['allow', 'deny']),
  note: z.string().nullable(),
  created_at: Instant,
})

const present = ({ org_id: _, ...row }: listings.Listing): z.input<typeof Listing> => row

export const put = route({
  method: 'PUT',
  path: '/lists',
  summary: 'Allow or deny a host',
  description:
    'Applies to the host and all of its subdomains. Checks return the entry of the nearest listed host as `policy`.',
  scope: 'trust:write',
  body: z.strictObject({
    hostname: z.string().trim().min(1).max(253),
    policy: z.enum(['allow', 'deny']),
    note: z.string().trim().max(500).nullable().default(null),
  }),
  status: 200,
  reply: Listing,
  async handle({ body, db, org }) {
    const url = /[/?#@:\\%]/.test(body.hostname) ? undefined : canonicalizeUrl(body.hostname)
    if (!url) throw badRequest([{ field: 'body.hostname', issue: 'must be a host name, such as example.com' }])
    if (isPublicSuffix(url.host)) {
      throw badRequest([
        {
          field: 'body.hostname',
          issue: 'must not be a public suffix, under which other organisations have their hosts',
        },
      ])
    }
    const set = await db.transaction(async (tx) => {
      const { id, hostname, policy, ...listing } = await listings.put(tx, {
        ...body,
        org_id: org.id,
        hostname: url.host,
      })
      await emit(tx, org.id, 'trust.listing.set', { id, hostname, policy })
      return present({ id, hostname, policy, ...listing })
    })
    await waitForCaches()
    return set
  },
})

export const list = listRoute({
  path: '/lists',
  summary: 'List allowed and denied hosts',
  description: 'Returns the hosts that you allow or deny. Checks return them as `policy`. The verdict does not change.',
  scope: 'trust:read',
  reads: 'replica',
  item: Listing,
  rows: ({ org, db }, page) => listings.list(db, org.id, page),
  present,
})

export const remove = removeRoute({
  path: '/lists/{id}',
  summary: 'Delete a list entry',
  description: 'Later checks of the host no longer return this policy.',
  scope: 'trust:write',
  params: z.object({ id: pathId('listing') }),
  what: 'listing',
  async remove({ params: { id }, org, db }) {
    if (!(await listings.remove(db, org.id, id))) return false
    await emit(db, org.id, 'trust.listing.removed', { id })
  },
  settle: waitForCaches,
})
