import type { Context } from 'koa'
import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import type { Grant } from '#sql/playback/sessions.ts'
import { openPosterKey, shownPosterKey } from '#tasks/video/rules/keys.ts'
import type { Services } from '../http/container.ts'
import { viewerRoute } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { signingSecret, storage } from '../http/services.ts'
import { admit, admitWithoutToken, playbackProblems } from '../playback/admission.ts'
import { sendEmbed } from '../playback/embed.ts'
import { getHost, signViewToken } from '../playback/urls.ts'
import { renderEmbeddedPlayer } from './playback/embedded.ts'
import { sendFromPackage, sendMasterFile, sendPoster, sendPreview } from './playback/files.ts'

const fileName = z.string().regex(/^[A-Za-z0-9_-]+\.(m3u8|m4s|mp4|vtt|jpg|webp|json)$|^embed$/)
const SignedParams = z.object({ token: z.string().max(1000), file: fileName })
const OpenParams = z.object({ assetId: Id, file: fileName })
const posterFile = 'poster.jpg'
const previewFile = 'preview.webp'
const inPackage = { package: Id }

/**
 * Responses without a token are the same for everyone, so a CDN can cache them. A video that became private is removed
 * from the CDN after 10 seconds. The redirect is valid for longer.
 */
const openCaching = 'public, max-age=10'

const shared = {
  ...viewerRoute,
  summary: 'Serve playlists and segments',
  withoutDatabase: true,
  status: 200,
  raw: true,
  problems: ['not_found', ...playbackProblems],
} as const

export const signed = route({
  ...shared,
  path: '/play/{token}/{file}',
  params: SignedParams,
  async handle(call) {
    const { params, db, ctx, services } = call
    const admitted = admit(call, params.token)
    if (params.file === 'embed') return await sendPlayer(ctx, services, admitted)
    if (params.file === posterFile) return await sendPoster(ctx, services, await admitted, shownPosterKey)
    if (params.file === previewFile) return await sendPreview(ctx, services, await admitted)
    await sendMasterFile(ctx, db, await admitted, params.file)
  },
})

export const signedPackage = route({
  ...shared,
  path: '/play/{token}/{package}/{file}',
  params: SignedParams.extend(inPackage),
  async handle(call) {
    const { params, db, ctx, services } = call
    const grant = await admit(call, params.token)
    await sendFromPackage(ctx, db, services, grant, params.package, params.file)
  },
})

export const open = route({
  ...shared,
  path: '/open/{assetId}/{file}',
  params: OpenParams,
  async handle(call) {
    const { params, db, ctx, services, origin } = call
    const admitted = admitWithoutToken(call, params.assetId)
    if (params.file === 'embed')
      return await sendPlayer(ctx, services, admitted, viewOf(params.assetId, origin, services))
    const grant = await admitted
    ctx.set('cache-control', openCaching)
    if (params.file === posterFile) return await sendPoster(ctx, services, grant, ({ id }) => openPosterKey(id))
    if (params.file === previewFile) return await sendPreview(ctx, services, grant)
    await sendMasterFile(ctx, db, grant, params.file)
  },
})

export const openPackage = route({
  ...shared,
  path: '/open/{assetId}/{package}/{file}',
  params: OpenParams.extend(inPackage),
  async handle(call) {
    const { params, db, ctx, services } = call
    const grant = await admitWithoutToken(call, params.assetId)
    ctx.set('cache-control', openCaching)
    await sendFromPackage(ctx, db, services, grant, params.package, params.file)
  },
})

const sendPlayer = (ctx: Context, services: Services, admitted: Promise<Grant>, view?: string) =>
  sendEmbed(ctx, {
    storageOrigin: services(storage).publicOrigin,
    admitted,
    content: ({ poster, title }) => renderEmbeddedPlayer({ poster, title, view }),
    title: ({ title }) => title,
    scripts: allowsCast(ctx.query.cast) ? [castScripts] : [],
  })

/** Origin of the Google Cast library. The page can load it only if its URL has `cast`. */
const castScripts = 'https://www.gstatic.com'

const allowsCast = (value: unknown): boolean => typeof value === 'string' && !['0', 'false', 'no'].includes(value)

/** Time in seconds for which a player without a playback token can send beacons. */
const viewSeconds = 86_400

function viewOf(assetId: string, origin: string, services: Services): string {
  const exp = Math.floor(Date.now() / 1000) + viewSeconds
  return signViewToken({ sid: newId(), aid: assetId, host: getHost(origin), exp }, services(signingSecret))
}
