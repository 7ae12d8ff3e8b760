import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import * as captions from '#sql/video/captions.ts'
import * as imports from '#sql/video/imports.ts'
import * as renditions from '#sql/video/renditions.ts'
import * as uploads from '#sql/video/uploads.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { abortUpload } from '#tasks/video/abort-upload.ts'
import { enqueueOpenPoster, updateOpenPoster } from '#tasks/video/open-poster.ts'
import { enqueueRemoval } from '#tasks/video/remove-asset.ts'
import { emitAsset } from '#tasks/video/rules/emit-asset.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { MetadataFilter, maxMetadataEntries, mergeMetadata } from '../http/request/metadata.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { assetChangeFields } from './assets/facts.ts'
import { fetchingLabel, progressOf } from './assets/progress.ts'
import { Asset, PosterState, posterState, presentImport, Summary, summarize } from './assets/view.ts'
import { present as presentCaptions } from './captions/view.ts'

const params = z.object({ assetId: Id })

export const assetNotReady = problem(409, 'asset_not_ready', 'The asset is not ready.')

export const list = listRoute({
  path: '/assets',
  summary: 'List assets, newest first',
  description: 'Returns videos. Filters select a status, a visibility, your `externalRef` or a metadata value.',
  tool: { name: 'list_videos', outsideText: true },
  scope: 'stream:read',
  filters: assets.filters,
  otherParams: ['metadata'],
  query: {
    status: assets.Status.optional(),
    visibility: assets.Visibility.optional(),
    externalRef: z.string().min(1).max(500).optional(),
    clippedFrom: Id.optional().describe('ID of an asset. Only its clips are listed.'),
    metadata: MetadataFilter.optional(),
  },
  item: Summary,
  async rows({ query: { metadata }, org, db }, page) {
    const found = await assets.list(db, org.id, { ...page, metadata })
    const uploading = found.filter((asset) => asset.status === 'uploading')
    const fetched = await imports.filterImports(
      db,
      uploading.map(({ id }) => id),
    )
    return found.map((asset) => ({ ...asset, isFetched: fetched.has(asset.id) }))
  },
  present: ({ isFetched, ...asset }, { origin }) => ({
    ...summarize(asset, origin),
    ...(isFetched && { stage: fetchingLabel }),
  }),
})

export const read = route({
  method: 'GET',
  path: '/assets/{assetId}',
  summary: 'Read an asset',
  description:
    'Returns the video with its status. While the asset is being processed, the response contains the progress and an estimate.',
  tool: { name: 'get_video', outsideText: true },
  scope: 'stream:read',
  params,
  status: 200,
  reply: Asset,
  problems: ['not_found'],
  async handle({ params, org, db, origin }) {
    const asset = await mustFind(assets.find(db, org.id, params.assetId), 'asset')
    const [progress, served, asked, upload, imported] = await Promise.all([
      progressOf(db, asset),
      renditions.listServed(db, asset.id),
      captions.list(db, asset.id),
      asset.status === 'uploading' ? uploads.findByAsset(db, asset.id) : null,
      imports.find(db, asset.id),
    ])
    return {
      ...summarize(asset, origin),
      ...progress,
      ...(upload && { upload_id: upload.id }),
      ...(imported && { import: presentImport(imported) }),
      ...(imported && asset.status === 'uploading' && { stage: fetchingLabel }),
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

const changeable = ['visibility', 'title', 'description', 'externalRef', 'metadata'] as const

/** Changes visibility and metadata. If a viewer loses access, the player stops with its next request. */
export const setVisibility = route({
  method: 'PATCH',
  path: '/assets/{assetId}',
  summary: 'Update the visibility or metadata of an asset',
  description:
    'Changes the fields that you send. `null` removes a text. A change of the visibility applies to the next request of each viewer. The public copy of the poster is removed before the response.',
  scope: 'stream:write',
  params,
  body: z
    .strictObject({ visibility: assets.Visibility.optional(), ...assetChangeFields })
    .refine((body) => changeable.some((name) => body[name] !== undefined), {
      path: ['visibility'],
      error: 'is required if no other field is set',
    }),
  status: 200,
  reply: z.object({
    id: Id,
    visibility: assets.Visibility,
    poster: PosterState,
    title: z
      .string()
      .nullable()
      .optional()
      .describe('Included, like the following fields, only if it was in the request'),
    description: z.string().nullable().optional(),
    externalRef: z.string().nullable().optional(),
    metadata: assets.Metadata.optional(),
  }),
  problems: ['not_found'],
  example: { body: { title: 'Opening talk', metadata: { course: 'history-1' } } },
  async handle({ params, body, org, db, services }) {
    const asset = await db.transaction(async (tx) => {
      const before = await mustFind(assets.lock(tx, org.id, params.assetId), 'asset')
      const metadata = body.metadata === undefined ? undefined : mergeMetadata(before.metadata, body.metadata)
      if (metadata && Object.keys(metadata).length > maxMetadataEntries)
        throw badRequest([
          { field: 'body.metadata', issue: `must not have more than ${maxMetadataEntries} entries after the change` },
        ])
      const changes = {
        visibility: body.visibility ?? before.visibility,
        title: body.title,
        description: body.description,
        external_ref: body.externalRef,
        metadata,
      }
      const changed = await mustFind(assets.change(tx, org.id, params.assetId, changes), 'asset')
      if (changed.poster && changed.visibility !== before.visibility) await enqueueOpenPoster(tx, changed)
      await emitAsset(tx, changed.id, 'video.asset.updated')
      return changed
    })
    if (asset.poster && body.visibility !== undefined)
      await updateOpenPoster(asset.id, { db, storage: services(storage) })
    return {
      id: asset.id,
      visibility: asset.visibility,
      poster: posterState(asset),
      ...(body.title !== undefined && { title: asset.title }),
      ...(body.description !== undefined && { description: asset.description }),
      ...(body.externalRef !== undefined && { externalRef: asset.external_ref }),
      ...(body.metadata !== undefined && { metadata: asset.metadata }),
    }
  },
})

/**
 * Deletes an asset. It is unavailable to callers and viewers immediately, and deleted from storage soon after. Also
 * aborts its upload.
 */
export const remove = removeRoute({
  path: '/assets/{assetId}',
  summary: 'Delete an asset',
  description:
    'Viewers lose access to the video with their next request. Storage is freed soon after. You cannot undo this.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  what: 'asset',
  remove: async ({ params: { assetId }, org, db }) => {
    if (!(await assets.lock(db, org.id, assetId))) return false
    await emitAsset(db, assetId, 'video.asset.deleted')
    await assets.markDeleted(db, org.id, assetId)
    const upload = await uploads.findByAsset(db, assetId)
    if (upload && (await uploads.move(db, org.id, upload.id, ['open', 'paused'], 'aborted'))) {
      await enqueue(db, abortUpload, { uploadId: upload.id }, { orgId: org.id, key: `abort:${upload.id}` })
    }
    await enqueueRemoval(db, assetId, org.id)
    return true
  },
})
