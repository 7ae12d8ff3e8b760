import { z } from 'zod'
import { badRequest, forbidden, notFound, Problem } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { hashSecret, looksLikeKey, signToken, verifyToken } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Site, Tier } from '#sql/guard/sites.ts'
import * as tickets from '#sql/guard/tickets.ts'
import * as tokens from '#sql/guard/tokens.ts'
import type { Services } from '../http/container.ts'
import { html } from '../http/html/html.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { Action } from './fields.ts'
import { decideTier } from './judge.ts'
import { siteCache } from './known-sites.ts'
import { publicPageSettings, sendPage } from './page.ts'
import { getClientBinding } from './visitor.ts'
import { visitorCounter } from './visitor-notes.ts'

export const tokenField = 'mill-guard-token'

/** Waiting time in seconds per tier. Waiting replaces the work and takes at least as long. */
const waits: Record<Tier, number> = { low: 10, normal: 20, high: 40, extreme: 80 }

/** Time to live of a ticket in seconds after its wait. */
const goodSeconds = 300

const purpose = 'guard.noscript'

const Ticket = z.object({
  id: Id,
  site: Id,
  org: Id,
  action: Action,
  network: z.string(),
  /** Start of the wait and start of the ticket’s validity, in seconds since 1970. */
  iat: z.int(),
  from: z.int(),
  exp: z.int(),
  return: z.string().optional(),
})

/** Returns the site of the public key in a link. Throws 404 for an unknown key. */
export async function findSiteByKey(db: DatabasePool, services: Services, sitekey: string): Promise<Site> {
  const caller = looksLikeKey(sitekey) ? await keys.findCaller(db, hashSecret(sitekey)) : null
  const id = caller?.key.scopes.includes('guard:challenge') ? caller.key.locks.site_id : undefined
  const site = caller && id !== undefined ? await services(siteCache).find(caller.org.id, id) : null
  if (!site) throw notFound('site key')
  return site
}

/**
 * Handles `GET /v1/guard/noscript`. Clients without JavaScript wait instead of working, and then get a token of the
 * tier `noscript`.
 */
export const show = route({
  ...publicPageSettings,
  method: 'GET',
  path: '/noscript',
  summary: 'Get a token without JavaScript',
  query: z.union([
    z.strictObject({ ticket: z.string().max(4000) }),
    z.strictObject({
      sitekey: z.string().max(200),
      action: Action,
      return: z
        .url({ protocol: /^https?$/ })
        .max(1000)
        .optional(),
    }),
  ]),
  problems: ['forbidden', 'not_found'],
  async handle(call) {
    const { ctx, db, ip, query, services } = call
    const secret = services(signingSecret)
    if ('ticket' in query) {
      const ticket = verifyToken(purpose, query.ticket, secret, Ticket)
      const site = ticket && (await services(siteCache).find(ticket.org, ticket.site))
      if (!ticket || !site?.policy.noscript)
        throw forbidden('This link is invalid or has expired. Go back to the form and start again.')
      if (ticket.network !== getClientBinding(call).network)
        throw forbidden('This link was issued to a different IP address. Go back to the form and start again.')
      const left = ticket.from - Math.floor(Date.now() / 1000)
      if (left > 0) return sendWait(ctx, query.ticket, left, site)
      return await redeem(db, ctx, ticket, site)
    }
    const site = await findSiteByKey(db, services, query.sitekey)
    if (!site.policy.noscript) throw forbidden('This site requires a browser with JavaScript.')
    if (query.return !== undefined && !site.origins.includes(new URL(query.return).origin))
      throw badRequest([{ field: 'query.return', issue: 'must be a web page of this site' }])
    const { action } = query
    const { tier, deny } = await decideTier(db, services, { site, action, ip, assessmentId: undefined })
    if (deny !== undefined) throw forbidden(deny)
    services(visitorCounter).add(site.id, ip)
    const { network } = getClientBinding(call)
    refuseToWait(await tickets.getWaitSeconds(db, { site_id: site.id, network }))
    const iat = Math.ceil(Date.now() / 1000)
    const from = iat + waits[tier]
    const ticket: z.infer<typeof Ticket> = {
      id: newId(),
      site: site.id,
      org: site.org_id,
      action,
      network,
      iat,
      from,
      exp: from + goodSeconds,
      ...(query.return !== undefined && { return: query.return }),
    }
    sendWait(ctx, signToken(purpose, ticket, secret), waits[tier], site)
  },
})

/** Throws 429 if the network has already received all its tokens for waiting. */
function refuseToWait(seconds: number): void {
  if (seconds === 0) return
  const message = `Your network has passed this check ${tickets.ticketLimit.tickets} times in ten minutes. Try again in ${Math.ceil(seconds / 60)} minutes.`
  throw new Problem(429, 'rate_limited', message, { retryAfter: seconds })
}

type PageContext = Parameters<typeof sendPage>[0]

function sendWait(ctx: PageContext, ticket: string, seconds: number, { origins }: Site): void {
  const next = `/v1/guard/noscript?ticket=${ticket}`
  const main = html`<p role="status">This check takes ${seconds} seconds. The page then continues automatically.</p>
<p class="quiet">With JavaScript the check is faster, because your device then solves a small task instead of waiting.</p>
<p>If the page does not continue, <a href="${next}">continue here</a>.</p>`
  const head = html`<meta http-equiv="refresh" content="${seconds + 1}; url=${next}">\n`
  sendPage(ctx, { title: 'Security check', main, head, framedBy: origins })
}

async function redeem(db: DatabasePool, ctx: PageContext, ticket: z.infer<typeof Ticket>, site: Site): Promise<void> {
  const { id, org, action } = ticket
  const [page] = ticket.return ? [new URL(ticket.return)] : []
  const solve_ms = Math.max(0, Date.now() - ticket.iat * 1000)
  const hostname = page?.hostname ?? null
  const wanted = {
    challenge_id: null,
    org_id: org,
    site_id: site.id,
    action,
    tier: 'noscript' as const,
    hostname,
    solve_ms,
  }
  const visitor = { site_id: site.id, network: ticket.network }
  const made = await db.transaction(async (tx) => {
    await tickets.lock(tx, visitor)
    refuseToWait(await tickets.getWaitSeconds(tx, visitor))
    return (await tickets.markUsed(tx, { id, ...visitor })) ? await tokens.createMany(tx, [wanted]) : []
  })
  const token = made[0]?.token
  if (token === undefined) throw forbidden('This link has already been used. Go back to the form and start again.')
  if (page) {
    page.searchParams.set(tokenField, token)
    ctx.redirect(page.href)
    ctx.status = 303
    return
  }
  const main = html`<p>Copy this code into the form within ${Math.floor(tokens.tokenSeconds / 60)} minutes. The code works once.</p>
<p><label for="token">Code</label> <textarea id="token" rows="2" readonly autofocus>${token}</textarea></p>`
  sendPage(ctx, { title: 'Check passed', main, framedBy: site.origins })
}
