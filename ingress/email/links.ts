import { isIP } from 'node:net'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { toStorableText } from '#lib/outside-text.ts'
import { findMachineReason } from '#tasks/email/rules/tracking/machines.ts'
import { type OpenToken, readClickToken, readOpenToken } from '#tasks/email/rules/tracking/tracking-links.ts'
import { ownHost } from '../http/hosts.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { sharedRouteOptions } from './page.ts'
import { linkOwners } from './tracking/link-owners.ts'
import { engagementRecorder, type Request } from './tracking/recorder.ts'

/** A transparent image of one pixel. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

const shared = {
  ...sharedRouteOptions,
  viewers: true,
  // High, because the proxies of mailbox providers and offices send the requests of many readers.
  limit: { perMinute: 6_000, by: 'ip' },
  params: z.object({ token: z.string().max(6_000) }),
} as const

interface Asking {
  method: string
  host: string
  header(name: string): string | undefined
}

/** Redirects only to the target in the token, which only this installation can sign. */
export const click = route({
  ...shared,
  method: 'GET',
  path: '/c/{token}',
  summary: 'Open a tracked link',
  status: 302,
  raw: true,
  async handle({ ctx, params: { token }, services, header, origin }) {
    const read = readClickToken(token, services(signingSecret))
    const place = demandHost(read, origin)
    const target = URL.parse(read?.u ?? '')
    if (!target || (target.protocol !== 'https:' && target.protocol !== 'http:')) throw notFound('page')
    const owner = await mustFind(services(linkOwners).find(place.d), 'page')
    if (owner.track_clicks) {
      const visit = visitOf({ method: ctx.method, header, host: '' })
      if (visit) services(engagementRecorder).add({ ...visit, message_id: place.m, kind: 'click', url: target.href })
    }
    ctx.status = 302
    ctx.set('location', target.href)
    ctx.set('cache-control', 'private, no-store')
    ctx.set('referrer-policy', 'no-referrer')
    ctx.set('x-robots-tag', 'noindex, nofollow')
    ctx.body = ''
  },
})

export const open = route({
  ...shared,
  method: 'GET',
  path: '/o/{token}',
  summary: 'Load the image of a tracked message',
  status: 200,
  raw: 'image/gif',
  async handle({ ctx, params: { token }, services, header, origin }) {
    const place = demandHost(readOpenToken(token, services(signingSecret)), origin)
    const owner = await mustFind(services(linkOwners).find(place.d), 'page')
    if (owner.track_opens) {
      const visit = visitOf({ method: ctx.method, header, host: '' })
      if (visit) services(engagementRecorder).add({ ...visit, message_id: place.m, kind: 'open', url: '' })
    }
    ctx.set('cache-control', 'private, no-store')
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    ctx.type = 'image/gif'
    ctx.body = pixel
  },
})

/** A link works only on the host that it was made for, so that no host of a customer leads to links of others. */
function demandHost<T extends OpenToken>(token: T | null, origin: string): T {
  const host = URL.parse(origin)?.hostname.replace(/\.$/, '') ?? ''
  const isRight = token?.h === undefined ? isOwn(host) : token.h === host
  if (!token || !isRight) throw notFound('page')
  return token
}

const isOwn = (host: string): boolean =>
  host === ownHost || host === 'localhost' || isIP(host.replace(/^\[|\]$/g, '')) !== 0

/** Returns what is stored of a request. Null if the reader does not want to be tracked. */
function visitOf({ method, header }: Asking): Pick<Request, 'machine' | 'reason' | 'user_agent'> | null {
  if (header('sec-gpc') === '1' || header('dnt') === '1') return null
  const userAgent = header('user-agent') ?? ''
  const purposes = [header('sec-purpose'), header('purpose'), header('x-purpose'), header('x-moz')]
  const reason = findMachineReason({ method, userAgent, purposes })
  return { machine: reason !== null, reason, user_agent: toStorableText(userAgent, 300) || null }
}
