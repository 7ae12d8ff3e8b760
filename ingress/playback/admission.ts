import { notFound, unavailable } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Grant } from '#sql/video/playback-sessions.ts'
import type { Services } from '../http/container.ts'
import { problem } from '../http/problem-kinds.ts'
import { signingSecret } from '../http/services.ts'
import { grantOfAsset, grantOfSession } from './grants.ts'
import { servedDomains } from './served-domains.ts'
import { countryOf } from './services.ts'
import { hostOf, readPlayback } from './urls.ts'

/** The playback token is none of ours. */
export const tokenInvalid = problem(
  403,
  'token_invalid',
  'The playback token is invalid, or for another kind of video.',
)
/** The token's time is over. */
export const tokenExpired = problem(403, 'token_expired', 'The playback token has expired.')
/** Its session was revoked, or what it plays is gone. */
export const tokenRevoked = problem(403, 'token_revoked', 'The playback session was revoked.')
/** The token is presented elsewhere than where it was minted for. */
export const hostMismatch = problem(403, 'host_mismatch', 'The playback token is for another host.')
const assetPrivate = problem(403, 'asset_private', 'The video is private.')
/** The session's rules of countries forbid it. */
export const countryNotAllowed = problem(
  403,
  'country_not_allowed',
  'The playback session does not allow this country.',
)

/** Why somebody may not play. */
export const refusals = [tokenInvalid, tokenExpired, tokenRevoked, hostMismatch, assetPrivate, countryNotAllowed]

/** Who asks for a video, and where. */
export interface ViewerRequest {
  db: DatabasePool
  origin: string
  ip: string
  services: Services
}

/** What a token grants at this moment to whoever presents it; throws 403 with the reason. */
export async function admit({ db, origin, ip, services }: ViewerRequest, token: string): Promise<Grant> {
  const claims = readPlayback(token, services(signingSecret))
  if (!claims) throw tokenInvalid('The playback token is not valid.')
  if (claims.exp * 1000 <= Date.now()) throw tokenExpired('The playback token has expired.')
  if (claims.host !== hostOf(origin)) throw hostMismatch('The playback token is for another host.')
  const grant = await grantOfSession(db, claims.sid)
  if (!grant?.live || grant.asset_id !== claims.aid)
    throw tokenRevoked('The playback session was revoked or has expired.')
  if (grant.visibility === 'private') throw assetPrivate('The video is private.')
  await checkPlace(grant, { origin, ip, services })
  return grant
}

/** What a session's right says of where it may be used. */
type Place = Pick<Grant, 'org_id' | 'allowed_countries' | 'blocked_countries'>

/** Throws 403 where a session may not be used: under a stranger's name, or in a country its rules forbid. */
export async function checkPlace(grant: Place, { origin, ip, services }: Omit<ViewerRequest, 'db'>): Promise<void> {
  if (await isForeign(grant, origin, services)) throw hostMismatch('This host cannot play the video.')
  await checkCountry(grant, ip, services)
}

/** An address whose country nobody knows passes no allow-list, and every block-list. */
async function checkCountry(grant: Place, ip: string, services: Services): Promise<void> {
  const { allowed_countries: allowed, blocked_countries: blocked } = grant
  if (allowed.length === 0 && blocked.length === 0) return
  const country = await services(countryOf)(ip).catch(() => {
    throw unavailable('The country of your IP address cannot be determined now. Try again later.')
  })
  const isAllowed = allowed.length === 0 || (country !== null && allowed.includes(country))
  const isBlocked = country !== null && blocked.includes(country)
  if (isBlocked || !isAllowed) throw countryNotAllowed('The video is not available in your country.')
}

/** Whether the host is another organisation's domain: nobody shows their videos under a stranger's name. */
async function isForeign({ org_id }: Pick<Grant, 'org_id'>, origin: string, services: Services): Promise<boolean> {
  const owner = await services(servedDomains).ownerOf(hostOf(origin))
  return owner !== undefined && owner !== org_id
}

/** An asset that is open to all; 404 for any other, as for none. */
export async function admitAll({ db, origin, services }: ViewerRequest, assetId: string): Promise<Grant> {
  const grant = await grantOfAsset(db, assetId)
  if (!grant?.live || (await isForeign(grant, origin, services))) throw notFound('video')
  return grant
}
