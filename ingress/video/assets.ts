import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import * as captions from '#sql/video/captions.ts'
import * as renditions from '#sql/video/renditions.ts'
import * as uploads from '#sql/video/uploads.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { abortUpload } from '#tasks/video/abort-upload.ts'
import { enqueueOpenPoster, settleOpenPoster } from '#tasks/video/open-poster.ts'
import { enqueueRemoval } from '#tasks/video/remove-asset.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { Asset, posterState, Summary, summarize } from './asset-view.ts'
import { present as presentCaptions } from './captions-view.ts'
import { progressOf } from './progress.ts'

const params = z.object({ assetId: Id })

/** The asset is not what was asked for needs it to be. */
export const assetNotReady = problem(409, 'asset_not_ready', 'the asset is not ready')

/** An organisation's assets, newest first. */
export const list = listRoute({
  path: '/assets',
  summary: 'List assets, newest first',
  scope: 'stream:read',
  filter: { status: assets.Status.optional() },
  item: Summary,
  rows: ({ query, org, db }, page) => assets.list(db, org.id, { ...page, status: query.status }),
  present: (asset, { origin }) => summarize(asset, origin),
})

/** One asset with how far it is. */
export const read = route({
  method: 'GET',
  path: '/assets/{assetId}',
  summary: 'Read one asset',
  scope: 'stream:read',
  params,
  status: 200,
  reply: Asset,
  problems: ['not_found'],
  async handle({ params, org, db, origin }) {
    const asset = await mustFind(assets.find(db, org.id, params.assetId), 'asset')
    const [progress, served, asked, upload] = await Promise.all([
      progressOf(db, asset),
      renditions.listServed(db, asset.id),
      captions.list(db, asset.id),
      asset.status === 'uploading' ? uploads.findByAsset(db, asset.id) : null,
    ])
    return {
      ...summarize(asset, origin),
      ...progress,
      ...(upload && { upload_id: upload.id }),
      renditions: served.map((rendition) => ({
        ...rendition,
        bandwidth: rendition.peak_bit_rate,
        averageBandwidth: rendition.mean_bit_rate,
      })),
      left_out: asset.left_out,
      captions: asked.map((row) => presentCaptions(row, asset.duration_seconds)),
    }
  },
})

/** Changes who may play an asset; playback by a right that is gone ends with the player's next request. */
export const setVisibility = route({
  method: 'PATCH',
  path: '/assets/{assetId}',
  summary: 'Change who may play an asset',
  description:
    'Takes effect with a viewer’s next request. The copy of the poster that needs no token is removed before the answer.',
  scope: 'stream:write',
  params,
  body: z.strictObject({ visibility: assets.Visibility }),
  status: 200,
  reply: z.object({
    id: Id,
    visibility: assets.Visibility,
    poster: z
      .enum(['open', 'signed', 'none'])
      .describe('Whether the poster is served to all, with a token, or not at all'),
  }),
  problems: ['not_found'],
  async handle({ params, body, org, db, services }) {
    const asset = await db.transaction(async (tx) => {
      const changing = assets.setVisibility(tx, org.id, params.assetId, body.visibility)
      const changed = await mustFind(changing, 'asset')
      if (changed.poster) await enqueueOpenPoster(tx, changed)
      return changed
    })
    if (asset.poster) await settleOpenPoster(asset.id, { db, storage: services(storage) })
    return { id: asset.id, visibility: asset.visibility, poster: posterState(asset) }
  },
})

/** Deletes an asset: at once for everyone who asks for it or plays it, soon after in storage. An upload to it ends. */
export const remove = route({
  method: 'DELETE',
  path: '/assets/{assetId}',
  summary: 'Delete an asset',
  description: 'Viewers lose it with their next request; storage is freed soon after. It cannot be undone.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  status: 200,
  reply: z.object({ id: Id, deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ params: { assetId }, org, db }) {
    await db.transaction(async (tx) => {
      if (!(await assets.markDeleted(tx, org.id, assetId))) throw notFound('asset')
      const upload = await uploads.findByAsset(tx, assetId)
      if (upload && (await uploads.move(tx, org.id, upload.id, ['open', 'paused'], 'aborted'))) {
        await enqueue(tx, abortUpload, { uploadId: upload.id }, { orgId: org.id, key: `abort:${upload.id}` })
      }
      await enqueueRemoval(tx, assetId, org.id)
    })
    return { id: assetId, deleted: true as const }
  },
})
