import type { Context } from 'koa'
import { z } from 'zod'
import { badRequest, type Fault, Problem, unauthorized } from '#lib/errors.ts'
import { findAttribute, readDescription } from '#tasks/live/rules/session-description.ts'
import type { OfferFaults } from '#tasks/live/rules/web-offer.ts'
import { iceServers } from '#tasks/rooms/rules/ice-servers.ts'
import { problem } from '../http/problem-kinds.ts'

/** Maximum size of an offer in bytes. The offers of browsers have about 10,000 bytes. */
const mostBytes = 65_536

/** Problem of an offer that is well-formed but contains no media that can be broadcast. */
export const mediaUnsupported = problem(
  422,
  'media_unsupported',
  'The offer has no H.264 video, or audio without Opus.',
)
export const offerRefused = problem(422, 'offer_refused', 'The media server rejected the offer.')
const restart = problem(
  422,
  'ice_restart_unsupported',
  'The candidates request an ICE restart, which is not supported.',
)

export const offerRequest = {
  bodyLimit: mostBytes,
  body: z.strictObject({ sdp: z.string().max(mostBytes).describe('Session description (RFC 8866)') }),
  alsoTakes: { 'application/sdp': (sdp: string) => ({ sdp }) },
} as const

export const offerResponse = {
  status: 201,
  raw: 'application/sdp',
  headers: {
    location: 'URL to end the connection and to send candidates',
    link: 'STUN and TURN servers (RFC 9725 4.6)',
    'accept-patch': 'Media type of candidates',
  },
} as const

export const candidatesRequest = {
  bodyLimit: 16_384,
  body: z.strictObject({ fragment: z.string().max(16_384).describe('ICE candidates in the format of RFC 8840') }),
  alsoTakes: { 'application/trickle-ice-sdpfrag': (fragment: string) => ({ fragment }) },
  status: 204,
  problems: ['unauthorized', 'not_found', restart],
} as const

/** Returns the ICE user fragment of an offer. Throws 400 or 422 if the offer is not acceptable. */
export function demandOffer(sdp: string, { faults, unsupported }: OfferFaults): string {
  if (faults.length > 0) throw badRequest(faults)
  if (unsupported) throw mediaUnsupported(unsupported)
  const { session, media } = readDescription(sdp)
  return findAttribute(media[0]?.lines ?? [], 'ice-ufrag') ?? findAttribute(session, 'ice-ufrag') ?? ''
}

export function sendAnswer(
  ctx: Context,
  set: (name: string, value: string) => void,
  sdp: string,
  at: { location: string; id: string },
): void {
  set('location', at.location)
  set('accept-patch', 'application/trickle-ice-sdpfrag')
  const links = iceServers(at.id).flatMap(({ urls, username, credential }) =>
    urls.map(
      (url) =>
        `<${url}>; rel="ice-server"${username ? `; username="${username}"; credential="${credential}"; credential-type="password"` : ''}`,
    ),
  )
  if (links.length > 0) set('link', links.join(', '))
  ctx.body = sdp
}

/** Returns the Bearer token of a request. Throws 401 if there is none. */
export function readBearerToken(header: string | undefined, what: string): string {
  const [scheme = '', token = '', ...more] = (header ?? '').trim().split(' ')
  if (scheme.toLowerCase() !== 'bearer' || token === '' || more.length > 0 || token.length > 300)
    throw unauthorized(`${what} is required: \`Authorization: Bearer …\``)
  return token
}

const [mostCandidates, mostLetters] = [32, 500]

/**
 * Returns the candidates in a fragment. Throws 400 if they are invalid, and 422 if they belong to an ICE session
 * different from the offer's.
 */
export function readCandidates(fragment: string, ufrag: string): (object | null)[] {
  const fault = (issue: string): Fault => ({ field: 'body.fragment', issue })
  const lines = fragment.split('\n').map((line) => line.trimEnd())
  const { session, media } = readDescription(fragment)
  const given = findAttribute(session, 'ice-ufrag') ?? findAttribute(media[0]?.lines ?? [], 'ice-ufrag')
  const strange = lines.findIndex((line) => line !== '' && line[1] !== '=')
  if (strange >= 0) throw badRequest([fault(`line ${strange + 1} must have the form x=…`)])
  if (given === undefined) throw badRequest([fault('must contain a=ice-ufrag')])
  if (given !== ufrag) throw restart('ICE restarts are not supported. Publish or watch again.')
  const found: (object | null)[] = []
  const faults: Fault[] = []
  media.forEach(({ lines: own, mid }, index) => {
    for (const line of own) {
      if (line.startsWith('a=candidate:') && line.length <= mostLetters)
        found.push({ candidate: line.slice(2), sdpMLineIndex: index, ...(mid !== undefined && { sdpMid: mid }) })
      else if (line.startsWith('a=candidate:'))
        faults.push(fault(`must not contain a candidate of more than ${mostLetters} characters`))
    }
  })
  if (fragment.includes('a=end-of-candidates')) found.push(null)
  if (found.length === 0 && faults.length === 0) faults.push(fault('must contain a candidate below an m= line'))
  if (found.length > mostCandidates) faults.push(fault(`must contain at most ${mostCandidates} candidates`))
  if (faults.length > 0) throw badRequest(faults)
  return found
}

export const connectionNotFound = (): Problem => new Problem(404, 'not_found', 'No such connection.')
