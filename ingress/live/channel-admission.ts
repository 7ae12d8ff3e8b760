import { notFound } from '#lib/errors.ts'
import type { LiveGrant } from '#sql/video/playback-sessions.ts'
import { signingSecret } from '../http/services.ts'
import {
  checkPlace,
  countryNotAllowed,
  hostMismatch,
  tokenExpired,
  tokenInvalid,
  tokenRevoked,
  type ViewerRequest,
} from '../playback/admission.ts'
import { grantOfChannel, grantOfLiveSession } from '../playback/grants.ts'
import { hostOf } from '../playback/urls.ts'
import { readLive } from './urls.ts'

export const liveRefusals = [tokenInvalid, tokenExpired, tokenRevoked, hostMismatch, countryNotAllowed]

/**
 * Returns the channel that a live token opens for this caller. Throws 403 with the reason if the token does not open
 * one.
 */
export async function admitLive({ db, origin, ip, services }: ViewerRequest, token: string): Promise<LiveGrant> {
  const claims = readLive(token, services(signingSecret))
  if (!claims) throw tokenInvalid('The playback token is invalid. Create a new playback session.')
  if (claims.exp * 1000 <= Date.now())
    throw tokenExpired('The playback token has expired. Create a new playback session.')
  if (claims.host !== hostOf(origin))
    throw hostMismatch('The playback token was issued for another host. Create a playback session with this `host`.')
  const grant = await grantOfLiveSession(db, claims.sid)
  if (!grant?.live || grant.channel_id !== claims.cid)
    throw tokenRevoked('The playback session has ended. Create a new one.')
  await checkPlace(grant, { origin, ip, services })
  return grant
}

/** Returns a channel that needs no session. Throws 404 for any other channel, like for a missing channel. */
export async function admitAllLive(asking: ViewerRequest, channelId: string): Promise<LiveGrant> {
  const grant = await grantOfChannel(asking.db, channelId)
  if (!grant?.live) throw notFound('live channel')
  await checkPlace(grant, asking)
  return grant
}
