import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Db } from '#sql/db.ts'
import type { NewSession, SessionWindow } from '#sql/playback/sessions.ts'
import * as sessions from '#sql/playback/sessions.ts'
import { Instant } from '../http/instant.ts'
import { countryCodes } from './country.ts'
import { getPlaybackBases } from './hosts.ts'
import { getHost } from './urls.ts'
import { countViewerSessions } from './viewer-concurrency.ts'

const hostName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

const country = z
  .string()
  .trim()
  .toUpperCase()
  .refine((code) => countryCodes.has(code), 'must be an ISO 3166-1 country code (two letters)')
const countries = z.array(country).max(300).default([])

export const SessionRequest = z
  .strictObject({
    host: z
      .string()
      .trim()
      .toLowerCase()
      .regex(hostName, 'must be a host name')
      .optional()
      .describe(
        'Host of the playback URLs. Default: the host of this API. Any other host must be one of your active domains.',
      ),
    expiresInSeconds: z.int().min(60).max(86_400).default(3600),
    viewerId: z.string().min(1).max(255).optional().describe('Your ID for the viewer'),
    allowedCountries: countries.describe('ISO 3166-1 alpha-2 codes. Empty: all countries.'),
    blockedCountries: countries,
    maxConcurrent: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('Maximum number of concurrent sessions of the viewer, including this one'),
  })
  .refine(({ viewerId, maxConcurrent }) => maxConcurrent === undefined || viewerId !== undefined, {
    path: ['maxConcurrent'],
    error: 'can only be used together with `viewerId`',
  })

export const sessionReply = {
  sessionId: Id,
  token: secret(z.string()),
  hlsUrl: secret(z.url()),
  embedUrl: secret(z.url()),
  expiresAt: Instant,
}

type PlaybackTarget = { asset_id: string } | { channel_id: string }

interface SessionCall {
  org: { id: string }
  origin: string
  body: z.output<typeof SessionRequest>
}

export interface MintedSession<Call, What> {
  call: Call
  session: NewSession
  what: What
  base: string
}

/**
 * Creates the requested sessions for the assets or channels that `find` returns. Returns a `Problem` for each rejected
 * request.
 */
export async function mintSessions<Call extends SessionCall, What extends { id: string }>(
  tx: Db,
  calls: readonly Call[],
  find: (call: Call) => What | Problem,
  played: (id: string, call: Call) => PlaybackTarget & SessionWindow,
): Promise<(MintedSession<Call, What> | Problem)[]> {
  const takePlace = await countViewerSessions(tx, calls)
  const baseOf = await getPlaybackBases(tx, calls)
  const minted = calls.map((call) => {
    const what = find(call)
    if (what instanceof Problem) return what
    const base = baseOf(call)
    if (base instanceof Problem) return base
    const session = sessionFor(call, played(what.id, call), getHost(base))
    return takePlace(session) ?? { call, session, what, base }
  })
  await sessions.insertMany(
    tx,
    minted.flatMap((one) => (one instanceof Problem ? [] : one.session)),
  )
  return minted
}

function sessionFor({ org, body }: SessionCall, played: PlaybackTarget & SessionWindow, host: string): NewSession {
  return {
    id: newId(),
    org_id: org.id,
    asset_id: null,
    channel_id: null,
    window_start: null,
    window_end: null,
    ...played,
    host,
    viewer_id: body.viewerId ?? null,
    allowed_countries: body.allowedCountries,
    blocked_countries: body.blockedCountries,
    max_concurrent: body.maxConcurrent ?? null,
    expires_at: new Date(Math.ceil(Date.now() / 1000 + body.expiresInSeconds) * 1000).toISOString(),
  }
}
