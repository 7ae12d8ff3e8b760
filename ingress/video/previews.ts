import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import * as previews from '#sql/video/previews.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { enqueueDiscardExtras } from '#tasks/video/discard-extras.ts'
import { makePreview } from '#tasks/video/make-preview.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'
import { Position } from '../playback/clip-request.ts'
import { Preview, presentPreview } from './assets/view.ts'
import { assetNotReady } from './assets.ts'

const params = z.object({ assetId: Id })

export const put = route({
  method: 'PUT',
  path: '/assets/{assetId}/preview',
  summary: 'Create an animated preview',
  description:
    'Creates an animated WebP without sound, which replaces an earlier one. Viewers can load it where they can load the poster.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  body: z.strictObject({
    start: Position.default(0).describe('Start in seconds. Default: 0.'),
    duration: z.number().min(0.5).max(10).default(3).describe('Length in seconds, 0.5 to 10. Default: 3.'),
    width: z.int().min(64).max(640).default(320).describe('Maximum width in pixels, 64 to 640. Default: 320.'),
    fps: z.number().min(1).max(20).default(10).describe('Frames per second, 1 to 20. Default: 10.'),
  }),
  status: 201,
  reply: Preview,
  problems: ['not_found', assetNotReady],
  example: { body: { start: 2, duration: 3 } },
  enqueues: makePreview,
  limit: { perMinute: 60, by: 'org' },
  async handle({ params: { assetId }, body, org, db, origin }) {
    const asset = await db.transaction(async (tx) => {
      const asset = await mustFind(assets.lock(tx, org.id, assetId), 'asset')
      checkPlayable(asset, body.start)
      const preview = { id: newId(), state: 'queued', bytes: null, ...body } as const
      await previews.put(tx, org.id, assetId, preview)
      const about = { subject: assetId, orgId: org.id, priority: 20 }
      await enqueue(tx, makePreview, { assetId, previewId: preview.id }, about)
      return { ...asset, preview }
    })
    return presentPreview(asset, origin)
  },
})

function checkPlayable({ package_id, status, width, duration_seconds }: assets.Asset, start: number): void {
  if (package_id === null || status === 'failed') throw assetNotReady(`The asset is ${status}.`, { status })
  const refuse = (issue: string) => badRequest([{ field: 'body.start', issue }])
  if (width === null) throw refuse('cannot be used for an asset without video')
  if (start >= (duration_seconds ?? 0)) throw refuse(`must be before the end of the video, at ${duration_seconds} s`)
}

export const read = route({
  method: 'GET',
  path: '/assets/{assetId}/preview',
  summary: 'Read the animated preview',
  description: 'Returns the state of the preview and, if no token is needed, its URL.',
  scope: 'stream:read',
  beyondContract: true,
  params,
  status: 200,
  reply: Preview,
  problems: ['not_found'],
  async handle({ params: { assetId }, org, db, origin }) {
    const asset = await mustFind(assets.find(db, org.id, assetId), 'asset')
    return presentPreview({ ...asset, preview: await mustFind(Promise.resolve(asset.preview), 'preview') }, origin)
  },
})

export const remove = removeRoute({
  path: '/assets/{assetId}/preview',
  summary: 'Delete the animated preview',
  description: 'Viewers lose access to the preview with their next request.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  reply: { assetId: Id },
  what: 'preview',
  async remove({ params: { assetId }, org, db }) {
    const asset = await mustFind(assets.lock(db, org.id, assetId), 'asset')
    await enqueueDiscardExtras(db, asset)
    return await previews.remove(db, org.id, assetId)
  },
})
