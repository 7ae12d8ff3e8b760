import { z } from 'zod'
import { badRequest, notFound } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import * as posters from '#sql/video/posters.ts'
import { enqueueDiscardExtras } from '#tasks/video/discard-extras.ts'
import { enqueueOpenPoster, updateOpenPoster } from '#tasks/video/open-poster.ts'
import { rawPosterKey } from '#tasks/video/rules/keys.ts'
import { setPoster } from '#tasks/video/set-poster.ts'
import { mustFind } from '../http/must-find.ts'
import { noAnswerInTime } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { questions, storage } from '../http/services.ts'
import { Position } from '../playback/clip-request.ts'
import { PosterSource, PosterState, posterSourceOf, posterState, posterUrlOf } from './assets/view.ts'
import { assetNotReady } from './assets.ts'
import { badImage, readPosterImage } from './posters/image.ts'

const waitMs = 30_000

const params = z.object({ assetId: Id })

const Poster = z
  .object({ assetId: Id, poster: PosterState, posterSource: PosterSource, posterUrl: z.url().nullable() })
  .meta({ id: 'video.Poster' })

const present = (asset: assets.Asset, origin: string): z.input<typeof Poster> => ({
  assetId: asset.id,
  poster: posterState(asset),
  posterSource: posterSourceOf(asset),
  posterUrl: posterUrlOf(asset, origin),
})

const Body = z
  .strictObject({
    imageBase64: z
      .string()
      .min(1)
      .optional()
      .describe('JPEG, PNG or WebP image in base64, of up to 5 MiB and 16,777,216 pixels'),
    time: Position.optional().describe('Position in seconds of the frame to use'),
  })
  .refine(({ imageBase64, time }) => imageBase64 !== undefined || time !== undefined, {
    path: ['imageBase64'],
    error: 'is required if `time` is not set',
  })
  .refine(({ imageBase64, time }) => imageBase64 === undefined || time === undefined, {
    path: ['time'],
    error: 'cannot be used together with `imageBase64`',
  })

export const put = route({
  method: 'PUT',
  path: '/assets/{assetId}/poster',
  summary: 'Set the poster of an asset',
  description:
    'Shows your image, or a frame that you choose, instead of the automatic poster. The image is stored as a JPEG with up to 1920 pixels on its longer side.',
  scope: 'stream:write',
  beyondContract: true,
  repeatable: true,
  bodyLimit: 7_500_000,
  params,
  body: Body,
  status: 200,
  reply: Poster,
  problems: ['not_found', assetNotReady, 'upstream_error', noAnswerInTime],
  example: { body: { time: 12.5 } },
  enqueues: setPoster,
  limit: { perMinute: 60, by: 'org' },
  async handle({ params: { assetId }, body: { imageBase64, time }, org, db, origin, services }) {
    const asset = await mustFind(assets.find(db, org.id, assetId), 'asset')
    if (asset.status !== 'ready' && asset.status !== 'processing')
      throw assetNotReady(`The asset is ${asset.status}.`, { status: asset.status })
    if (time !== undefined) checkTime(asset, time)
    const posterId = newId()
    const payload = { assetId, posterId, at: time }
    const about = { orgId: org.id, subject: assetId, timeout: waitMs }
    if (imageBase64 === undefined) {
      const { result } = await services(questions).ask(setPoster, payload, about)
      if (result === 'unreadable') throw badTime('must be a time at which the video has a frame')
    } else {
      const { bytes, contentType: type } = readPosterImage(imageBase64)
      await enqueueDiscardExtras(db, asset)
      await services(storage).put(rawPosterKey(assetId, posterId), bytes, { contentType: type })
      const { result } = await services(questions).ask(setPoster, { ...payload, type }, about)
      if (result === 'unreadable') throw badImage('must be an image that can be decoded')
    }
    return present(await mustFind(assets.find(db, org.id, assetId), 'asset'), origin)
  },
})

const badTime = (issue: string) => badRequest([{ field: 'body.time', issue }])

function checkTime(asset: assets.Asset, time: number): void {
  if (asset.package_id === null) throw assetNotReady(`The asset is ${asset.status}.`, { status: asset.status })
  if (asset.width === null) throw badTime('cannot be used for an asset without video')
  if (time > (asset.duration_seconds ?? 0)) throw badTime(`must not be after the end, at ${asset.duration_seconds} s`)
}

export const remove = route({
  method: 'DELETE',
  path: '/assets/{assetId}/poster',
  summary: 'Delete your poster of an asset',
  description: 'Shows the automatic poster again.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  status: 200,
  reply: Poster,
  problems: ['not_found'],
  async handle({ params: { assetId }, org, db, origin, services }) {
    const asset = await db.transaction(async (tx) => {
      await mustFind(assets.lock(tx, org.id, assetId), 'asset')
      if (!(await posters.clear(tx, org.id, assetId))) throw notFound('poster')
      const cleared = await mustFind(assets.find(tx, org.id, assetId), 'asset')
      await enqueueOpenPoster(tx, cleared)
      await enqueueDiscardExtras(tx, cleared)
      return cleared
    })
    await updateOpenPoster(assetId, { db, storage: services(storage) })
    return present(asset, origin)
  },
})
