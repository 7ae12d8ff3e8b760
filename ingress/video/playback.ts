import type { Context } from 'koa'
import { z } from 'zod'
import { notFound, Problem, unavailable } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Grant } from '#sql/video/playback-sessions.ts'
import * as playlists from '#sql/video/playlists.ts'
import { openPosterKey, posterKey } from '#tasks/video/keys.ts'
import { route } from '../route.ts'
import type { Services } from '../services.ts'
import { sendEmbed } from './embed.ts'
import { grantOfAsset, grantOfSession, packageCache, playlistCache } from './grants.ts'
import { hostOf, readPlayback, signView } from './playback-urls.ts'
import { redirect } from './storage-links.ts'

const fileName = z.string().regex(/^[A-Za-z0-9_-]+\.(m3u8|m4s|mp4|vtt|jpg)$|^embed$/)
const Signed = z.object({ token: z.string().max(1000), file: fileName })
const Open = z.object({ assetId: Id, file: fileName })
const posterFile = 'poster.jpg'
const inPackage = { package: Id }

/**
 * What needs no token is alike for all, and a CDN may keep it: for so short that a video made private is soon gone from there,
 * and a redirect works for long enough after.
 */
const openCaching = 'public, max-age=10'

const shared = {
  method: 'GET',
  summary: 'Playback origin',
  public: true,
  hidden: true,
  cors: true,
  limit: false,
  status: 200,
  raw: true,
  problems: [
    { status: 403, code: 'token_invalid', when: 'the token is forged, or of another kind' },
    { status: 403, code: 'token_expired', when: 'the token is over' },
    { status: 403, code: 'token_revoked', when: 'its session was revoked' },
    { status: 403, code: 'host_mismatch', when: 'it was minted for another host' },
    { status: 403, code: 'asset_private', when: 'the asset is private' },
    { status: 403, code: 'country_not_allowed', when: 'the session may not be used from there' },
  ],
} as const

/** The master playlist, poster and player of a session. */
export const signed = route({
  ...shared,
  path: '/play/{token}/{file}',
  params: Signed,
  async handle(call) {
    const { params, db, ctx, services } = call
    const admitted = admit(call, params.token)
    if (params.file === 'embed') return await sendPlayer(ctx, services, admitted)
    if (params.file === posterFile) return await sendPoster(ctx, services, await admitted, posterKey)
    await sendMaster(ctx, db, await admitted, params.file)
  },
})

/** Playlists and segments of a package, for a session. */
export const signedPackage = route({
  ...shared,
  path: '/play/{token}/{package}/{file}',
  params: Signed.extend(inPackage),
  async handle(call) {
    const { params, db, ctx, services } = call
    const grant = await admit(call, params.token)
    await sendFromPackage(ctx, db, services, grant, params.package, params.file)
  },
})

/** The master playlist, poster and player of an asset that needs no token. */
export const open = route({
  ...shared,
  path: '/open/{assetId}/{file}',
  params: Open,
  async handle({ params, db, ctx, services, origin }) {
    const admitted = admitAll(db, params.assetId)
    if (params.file === 'embed')
      return await sendPlayer(ctx, services, admitted, viewOf(params.assetId, origin, services))
    const grant = await admitted
    ctx.set('cache-control', openCaching)
    if (params.file === posterFile) return await sendPoster(ctx, services, grant, openPosterKey)
    await sendMaster(ctx, db, grant, params.file)
  },
})

/** Playlists and segments of a package that needs no token. */
export const openPackage = route({
  ...shared,
  path: '/open/{assetId}/{package}/{file}',
  params: Open.extend(inPackage),
  async handle({ params, db, ctx, services }) {
    const grant = await admitAll(db, params.assetId)
    ctx.set('cache-control', openCaching)
    await sendFromPackage(ctx, db, services, grant, params.package, params.file)
  },
})

const refuse = (code: string, why: string) => new Problem(403, code, why)

interface Asking {
  db: DatabasePool
  origin: string
  ip: string
  services: Services
}

/** What a token grants at this moment to whoever presents it; throws 403 with the reason. */
async function admit({ db, origin, ip, services }: Asking, token: string): Promise<Grant> {
  const claims = readPlayback(token, services.signingSecret)
  if (!claims) throw refuse('token_invalid', 'The playback token is not valid.')
  if (claims.exp * 1000 <= Date.now()) throw refuse('token_expired', 'The playback token is over.')
  if (claims.host !== hostOf(origin)) throw refuse('host_mismatch', 'The playback token was minted for another host.')
  const grant = await grantOfSession(db, claims.sid)
  if (!grant?.live || grant.asset_id !== claims.aid) throw refuse('token_revoked', 'The playback session is over.')
  if (grant.visibility === 'private') throw refuse('asset_private', 'The video is private.')
  await checkCountry(grant, ip, services)
  return grant
}

/** An address whose country nobody knows passes no allow-list, and every block-list. */
async function checkCountry(grant: Grant, ip: string, { countryOf }: Services): Promise<void> {
  const { allowed_countries: allowed, blocked_countries: blocked } = grant
  if (allowed.length === 0 && blocked.length === 0) return
  const country = await countryOf(ip).catch(() => {
    throw unavailable('The country of your address cannot be told now.')
  })
  const isAllowed = allowed.length === 0 || (country !== null && allowed.includes(country))
  const isBlocked = country !== null && blocked.includes(country)
  if (isBlocked || !isAllowed) throw refuse('country_not_allowed', 'The video is not available in your country.')
}

/** An asset that is open to all; 404 for any other, as for none. */
async function admitAll(db: DatabasePool, assetId: string): Promise<Grant> {
  const grant = await grantOfAsset(db, assetId)
  if (!grant?.live) throw notFound('video')
  return grant
}

const sendPlayer = (ctx: Context, { storage }: Services, admitted: Promise<Grant>, view?: string) =>
  sendEmbed(ctx, { storageOrigin: storage.publicOrigin, admitted, view })

/** Seconds for which a player without a playback token may tell how it goes. */
const viewSeconds = 86_400

/** A token for the beacons of one page. */
function viewOf(assetId: string, origin: string, { signingSecret }: Services): string {
  const exp = Math.floor(Date.now() / 1000) + viewSeconds
  return signView({ sid: newId(), aid: assetId, host: hostOf(origin), exp }, signingSecret)
}

async function sendPoster(
  ctx: Context,
  services: Services,
  { asset_id, poster }: Grant,
  keyOf: (assetId: string) => string,
): Promise<void> {
  if (!poster) throw notFound('file')
  await redirect(ctx, services.storage, keyOf(asset_id))
}

async function sendMaster(ctx: Context, db: DatabasePool, grant: Grant, file: string): Promise<void> {
  if (file !== 'master.m3u8' || !grant.package_id) throw notFound('file')
  const body = await playlistOf(db, grant.asset_id, grant.package_id, file)
  // From here on the player stays with this package, also when a better one takes its place meanwhile.
  sendPlaylist(ctx, intoFolder(body, grant.package_id))
}

async function sendFromPackage(
  ctx: Context,
  db: DatabasePool,
  services: Services,
  grant: Grant,
  packageId: string,
  file: string,
): Promise<void> {
  if (file.endsWith('.m3u8')) return sendPlaylist(ctx, await playlistOf(db, grant.asset_id, packageId, file))
  await mustHavePackage(db, grant.asset_id, packageId)
  await redirect(ctx, services.storage, `${playlists.packagePrefix(grant.asset_id, packageId)}${file}`)
}

/** Throws 404 for a package that is none, or another asset's. */
async function mustHavePackage(db: DatabasePool, assetId: string, packageId: string): Promise<void> {
  const key = `${assetId}/${packageId}`
  if (packageCache.has(key)) return
  if (!(await playlists.hasPackage(db, assetId, packageId))) throw notFound('package')
  packageCache.set(key, true)
}

async function playlistOf(db: DatabasePool, assetId: string, packageId: string, name: string): Promise<string> {
  const key = `${assetId}/${packageId}/${name}`
  const body = playlistCache.get(key) ?? (await playlists.find(db, assetId, packageId, name))
  if (body === null) throw notFound('playlist')
  playlistCache.set(key, body)
  return body
}

/** The URIs of a playlist (RFC 8216 §4.1: lines, and URI attributes), moved into a folder. */
function intoFolder(playlist: string, folder: string): string {
  return playlist.replace(/^(?!#)(?=\S)/gm, `${folder}/`).replace(/URI="/g, `URI="${folder}/`)
}

function sendPlaylist(ctx: Context, body: string): void {
  ctx.type = 'application/vnd.apple.mpegurl'
  ctx.body = body
}
