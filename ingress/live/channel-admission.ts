import { notFound } from '#lib/errors.ts'
import type { LiveGrant } from '#sql/playback/sessions.ts'
import { signingSecret } from '../http/services.ts'
import {
  checkHostAndCountry,
  countryNotAllowed,
  hostMismatch,
  tokenExpired,
  tokenInvalid,
  tokenRevoked,
  type ViewerRequest,
} from '../playback/admission.ts'
import { getChannelGrant, getLiveSessionGrant } from '../playback/grants.ts'
import { getHost } from '../playback/urls.ts'
import { readLiveToken } from './urls.ts'

export const liveRefusals = [tokenInvalid, tokenExpired, tokenRevoked, hostMismatch, countryNotAllowed]

/** Returns the channel that a live token gives access to. Throws 403 with the reason if the caller cannot watch it. */
export async function admitLive({ db, origin, ip, services }: ViewerRequest, token: string): Promise<LiveGrant> {
  const claims = readLiveToken(token, services(signingSecret))
  if (!claims) throw tokenInvalid('The playback token is invalid. Create a new playback session.')
  if (claims.exp * 1000 <= Date.now())
    throw tokenExpired('The playback token has expired. Create a new playback session.')
  if (claims.host !== getHost(origin))
    throw hostMismatch(
      'The playback token was issued for a different host. Create a playback session with this `host`.',
    )
  const grant = await getLiveSessionGrant(db, claims.sid)
  if (!grant?.live || grant.channel_id !== claims.cid)
    throw tokenRevoked('The playback session has ended. Create a new one.')
  await checkHostAndCountry(grant, { origin, ip, services })
  return grant
}

/** Returns a channel that needs no session. Throws 404 for any other channel, as for a channel that does not exist. */
export async function admitOpenLive(asking: ViewerRequest, channelId: string): Promise<LiveGrant> {
  const grant = await getChannelGrant(asking.db, channelId)
  if (!grant?.live) throw notFound('live channel')
  await checkHostAndCountry(grant, asking)
  return grant
}
