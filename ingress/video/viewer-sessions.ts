import { z } from 'zod'
import { countryCodes } from '#lib/country.ts'
import { newId } from '#lib/ids.ts'
import type { NewSession } from '#sql/video/playback-sessions.ts'

const hostName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

const country = z
  .string()
  .trim()
  .toUpperCase()
  .refine((code) => countryCodes.has(code), 'is not a country code of ISO 3166-1 (two letters)')
const countries = z.array(country).max(300).default([])

/** Who may watch, where and how long: the same for an asset and for a live channel. */
export const SessionRequest = z
  .strictObject({
    host: z
      .string()
      .trim()
      .toLowerCase()
      .regex(hostName, 'is not a host name')
      .optional()
      .describe('Default: the host of this API. Else an active domain of your own; any other is refused'),
    expiresInSeconds: z.int().min(60).max(86_400).default(3600),
    viewerId: z.string().min(1).max(255).optional().describe('Your own name for the person who watches'),
    allowedCountries: countries.describe('ISO 3166-1 alpha-2; empty means everywhere'),
    blockedCountries: countries,
    maxConcurrent: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('Sessions the viewer may have at once, this one included'),
  })
  .refine(({ viewerId, maxConcurrent }) => maxConcurrent === undefined || viewerId !== undefined, {
    path: ['maxConcurrent'],
    error: 'requires `viewerId`',
  })

/** The session that a request asks for, of an asset or of a live channel. */
export function sessionFor(
  { org, body }: { org: { id: string }; body: z.output<typeof SessionRequest> },
  played: { asset_id: string } | { channel_id: string },
  host: string,
): NewSession {
  return {
    id: newId(),
    org_id: org.id,
    ...{ asset_id: null, channel_id: null, ...played },
    host,
    viewer_id: body.viewerId ?? null,
    allowed_countries: body.allowedCountries,
    blocked_countries: body.blockedCountries,
    max_concurrent: body.maxConcurrent ?? null,
    expires_at: new Date(Math.ceil(Date.now() / 1000 + body.expiresInSeconds) * 1000).toISOString(),
  }
}
