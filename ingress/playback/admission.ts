import { notFound, unavailable } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Grant } from '#sql/playback/sessions.ts'
import type { Services } from '../http/container.ts'
import { problem } from '../http/problem-kinds.ts'
import { signingSecret } from '../http/services.ts'
import { getAssetGrant, getSessionGrant } from './grants.ts'
import { servedDomains } from './served-domains.ts'
import { countryLookup } from './services.ts'
import { getHost, readPlaybackToken } from './urls.ts'

export const tokenInvalid = problem(
  403,
  'token_invalid',
  'The playback token is invalid, or is for a different kind of video.',
)
export const tokenExpired = problem(403, 'token_expired', 'The playback token has expired.')
export const tokenRevoked = problem(403, 'token_revoked', 'The playback session was revoked.')
export const hostMismatch = problem(403, 'host_mismatch', 'The playback token is for a different host.')
const assetPrivate = problem(403, 'asset_private', 'The video is private.')
export const outsideWindow = problem(
  403,
  'outside_window',
  'The file is outside the part of the video that the playback session can play.',
)
export const countryNotAllowed = problem(
  403,
  'country_not_allowed',
  'The playback session does not allow this country.',
)

export const playbackProblems = [
  tokenInvalid,
  tokenExpired,
  tokenRevoked,
  hostMismatch,
  assetPrivate,
  countryNotAllowed,
  outsideWindow,
]

export interface ViewerRequest {
  db: DatabasePool
  origin: string
  ip: string
  services: Services
}

/** Returns the rights that a token currently grants. Throws 403 with the reason if it grants none. */
export async function admit({ db, origin, ip, services }: ViewerRequest, token: string): Promise<Grant> {
  const claims = readPlaybackToken(token, services(signingSecret))
  if (!claims) throw tokenInvalid('The playback token is not valid.')
  if (claims.exp * 1000 <= Date.now()) throw tokenExpired('The playback token has expired.')
  if (claims.host !== getHost(origin)) throw hostMismatch('The playback token is for a different host.')
  const grant = await getSessionGrant(db, claims.sid)
  if (!grant?.live || grant.asset_id !== claims.aid)
    throw tokenRevoked('The playback session was revoked or has expired.')
  if (grant.visibility === 'private') throw assetPrivate('The video is private.')
  await checkHostAndCountry(grant, { origin, ip, services })
  return grant
}

type Place = Pick<Grant, 'org_id' | 'allowed_countries' | 'blocked_countries'>

/** Throws 403 if the host belongs to another organisation or the country is not allowed. */
export async function checkHostAndCountry(
  grant: Place,
  { origin, ip, services }: Omit<ViewerRequest, 'db'>,
): Promise<void> {
  if (await isForeign(grant, origin, services)) throw hostMismatch('The video cannot be played on this host.')
  await checkCountry(grant, ip, services)
}

/** If the country of an IP address is unknown, an allowlist rejects it and a blocklist accepts it. */
async function checkCountry(grant: Place, ip: string, services: Services): Promise<void> {
  const { allowed_countries: allowed, blocked_countries: blocked } = grant
  if (allowed.length === 0 && blocked.length === 0) return
  const country = await services(countryLookup)(ip).catch(() => {
    throw unavailable('The country of your IP address could not be determined. Try again later.')
  })
  const isAllowed = allowed.length === 0 || (country !== null && allowed.includes(country))
  const isBlocked = country !== null && blocked.includes(country)
  if (isBlocked || !isAllowed) throw countryNotAllowed('The video is not available in your country.')
}

/** True if the host is a domain of a different organisation. Such a domain must not show this organisation's videos. */
async function isForeign({ org_id }: Pick<Grant, 'org_id'>, origin: string, services: Services): Promise<boolean> {
  const owner = await services(servedDomains).ownerOf(getHost(origin))
  return owner !== undefined && owner !== org_id
}

/** Returns an asset that needs no token. Throws 404 for any other asset. */
export async function admitWithoutToken({ db, origin, services }: ViewerRequest, assetId: string): Promise<Grant> {
  const grant = await getAssetGrant(db, assetId)
  if (!grant?.live || (await isForeign(grant, origin, services))) throw notFound('video')
  return grant
}
