import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as captions from '#sql/video/captions.ts'
import * as renditions from '#sql/video/renditions.ts'
import * as uploads from '#sql/video/uploads.ts'
import { enqueue } from '#tasks/enqueue.ts'
import { abortUpload } from '#tasks/video/abort-upload.ts'
import { enqueueOpenPoster, settleOpenPoster } from '#tasks/video/open-poster.ts'
import { enqueueRemoval } from '#tasks/video/remove-asset.ts'
import { Instant } from '../instant.ts'
import { PageQuery, pageFrom, pageOf, toPage } from '../pages.ts'
import { route } from '../route.ts'
import { Captions, present as presentCaptions } from './captions-view.ts'
import { openBase } from './playback-urls.ts'
import { progressOf, stageLabels } from './progress.ts'

const params = z.object({ assetId: Id })

const Summary = z
  .object({
    id: Id,
    title: z.string().nullable(),
    externalRef: z.string().nullable(),
    filename: z.string().nullable(),
    mimeType: z.string().nullable(),
    bytes: z.int(),
    processingProfile: z.enum(['standard_vod', 'fast_social']),
    visibility: assets.Visibility,
    status: assets.Status,
    current_stage: assets.Stage,
    stage: z.string().describe('What to tell people'),
    failure_summary: z.string().nullable().describe('Why it failed, in plain English'),
    playable: z.boolean().describe('Viewers can watch it now, if only in one quality so far'),
    durationSeconds: z.number().nullable(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    frameRate: z.number().nullable(),
    posterUrl: z.url().nullable().describe('The poster, for those visibilities that need no token'),
    playable_at: Instant.nullable(),
    ready_at: Instant.nullable(),
    created_at: Instant,
  })
  .meta({ id: 'video.AssetSummary' })

const Rendition = z.object({
  name: z.string(),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
  bandwidth: z.int().describe('Bits per second of the largest segment'),
  averageBandwidth: z.int(),
  codec: z.string(),
})

const Asset = Summary.extend({
  progress_percent: z.number().describe('0 while nothing has happened to it yet'),
  upload_id: Id.optional().describe('While uploading'),
  encoding: z.boolean().optional().describe('While processing: whether anything is happening to this video yet'),
  queuePosition: z.int().nullable().optional().describe('While it waits: 1 is next'),
  stageLabel: z.string().optional(),
  estimatedReadyAt: Instant.nullable().optional().describe('Null without enough history'),
  etaBasis: z.enum(['progress', 'historical']).nullable().optional().describe('What the estimate rests on'),
  renditions: z.array(Rendition).describe('What is served now'),
  captions: z.array(Captions).describe('Those that were asked for'),
}).meta({ id: 'video.Asset' })

/** An organisation's assets, newest first. */
export const list = route({
  method: 'GET',
  path: '/assets',
  summary: 'List assets, newest first',
  scope: 'stream:read',
  query: PageQuery.extend({ status: assets.Status.optional() }),
  status: 200,
  reply: pageOf(Summary),
  async handle({ query, org, db, origin }) {
    const page = pageFrom(query)
    const rows = await assets.list(db, org.id, {
      status: query.status,
      before: page.after ?? undefined,
      limit: page.limit + 1,
    })
    const { data, next_cursor } = toPage(page, rows)
    return { data: data.map((asset) => summarize(asset, origin)), next_cursor }
  },
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
    const asset = await mustFind(db, org.id, params.assetId)
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
  body: z.object({ visibility: assets.Visibility }),
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
      const changed = await assets.setVisibility(tx, org.id, params.assetId, body.visibility)
      if (!changed) throw notFound('asset')
      if (changed.poster) await enqueueOpenPoster(tx, changed)
      return changed
    })
    if (asset.poster) await settleOpenPoster(asset.id, { db, storage: services.storage })
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

/** The organisation's asset; throws 404. */
export async function mustFind(db: Db, orgId: string, id: string): Promise<assets.Asset> {
  const asset = await assets.find(db, orgId, id)
  if (!asset) throw notFound('asset')
  return asset
}

const isOpen = ({ visibility }: assets.Asset) => visibility === 'unlisted' || visibility === 'public'

function posterState(asset: assets.Asset): 'open' | 'signed' | 'none' {
  if (!asset.poster || asset.visibility === 'private') return 'none'
  return isOpen(asset) ? 'open' : 'signed'
}

function summarize(asset: assets.Asset, origin: string): z.input<typeof Summary> {
  return {
    id: asset.id,
    title: asset.title,
    externalRef: asset.external_ref,
    filename: asset.filename,
    mimeType: asset.mime_type,
    bytes: asset.bytes,
    processingProfile: asset.profile,
    visibility: asset.visibility,
    status: asset.status,
    current_stage: asset.stage,
    stage: stageLabels[asset.stage],
    failure_summary: asset.failure_summary,
    playable: asset.package_id !== null && asset.status !== 'failed',
    durationSeconds: asset.duration_seconds,
    width: asset.width,
    height: asset.height,
    frameRate: asset.frame_rate,
    posterUrl: posterState(asset) === 'open' ? `${openBase(origin, asset.id)}/poster.jpg` : null,
    playable_at: asset.playable_at,
    ready_at: asset.ready_at,
    created_at: asset.created_at,
  }
}
