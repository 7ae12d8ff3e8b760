import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import { ClippedFrom } from '#sql/video/clipped-from.ts'
import type { Import } from '#sql/video/imports.ts'
import { LeftOut } from '#sql/video/left-out.ts'
import { getOpenBase } from '#tasks/video/rules/open-url.ts'
import { Instant } from '../../http/instant.ts'
import { Captions } from '../captions/view.ts'
import { stageLabels } from './progress.ts'

export const Summary = z
  .object({
    id: Id,
    title: z.string().nullable(),
    description: z.string().nullable(),
    metadata: assets.Metadata,
    externalRef: z.string().nullable(),
    filename: z.string().nullable(),
    mimeType: z.string().nullable(),
    bytes: z.int().describe('Size in bytes. 0 until the size of an imported file is known.'),
    processingProfile: z.enum(['standard_vod', 'fast_social']),
    visibility: assets.Visibility,
    status: assets.Status,
    current_stage: assets.Stage,
    stage: z.string().describe('Label for your users'),
    failure_code: z.string().nullable().describe('Reason for the failure, for use in code'),
    failure_summary: z.string().nullable().describe('Reason for the failure, to show to your users'),
    playable: z.boolean().describe('True if viewers can already watch the video, even in only one quality'),
    durationSeconds: z.number().nullable(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    frameRate: z.number().nullable(),
    posterUrl: z.url().nullable().describe('URL of the poster if the visibility needs no token'),
    clipped_from: ClippedFrom.nullable().describe(
      'Asset or broadcast from which the clip was cut, with its time range in seconds. `null` if the asset is not a clip.',
    ),
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
  bandwidth: z.int().describe('Peak bitrate in bits per second, of the largest segment'),
  averageBandwidth: z.int(),
  codec: z.string(),
})

const Imported = z.object({
  url: z.string().describe('Source URL without its query'),
  state: z.enum(['waiting', 'fetching', 'fetched', 'failed']),
  bytesReceived: z.int(),
  bytes: z.int().nullable().describe('Size in bytes. `null` until the server reports the size.'),
  progress_percent: z.number().nullable(),
})

export function presentImport({ url, state, received, total, whole }: Import): z.input<typeof Imported> {
  const bytes = total ?? (whole ? received : null)
  return {
    url: url.split('?', 1)[0] ?? '',
    state,
    bytesReceived: received,
    bytes,
    progress_percent: bytes ? Math.floor((received / bytes) * 100) : null,
  }
}

export const Asset = Summary.extend({
  progress_percent: z.number().describe('Progress in percent. 0 until processing starts.'),
  upload_id: Id.optional().describe('Only while the asset is uploading'),
  import: Imported.optional().describe('Progress of an import from a URL'),
  encoding: z.boolean().optional().describe('Only while the asset is processing: true if processing has started'),
  queuePosition: z.int().nullable().optional().describe('Position in the queue while the asset is waiting. 1 is next.'),
  stageLabel: z.string().optional(),
  estimatedReadyAt: Instant.nullable()
    .optional()
    .describe('Estimated time when the asset is ready. `null` if there are not enough measurements.'),
  etaBasis: z
    .enum(['progress', 'historical', 'paused'])
    .nullable()
    .optional()
    .describe('Basis of the estimate. `paused`: operators have paused this step, so there is no estimate.'),
  renditions: z.array(Rendition).describe('Renditions that are currently served'),
  left_out: z
    .array(LeftOut)
    .describe(
      'Tracks of the upload that are not in the video. `track` counts the tracks of that kind from 1. `limit`: a video has one video track and up to 8 audio tracks. `undecodable`: the track cannot be decoded. `late`: the track starts too far into the file to be found.',
    ),
  captions: z.array(Captions).describe('Requested and uploaded captions'),
}).meta({ id: 'video.Asset' })

const isOpen = ({ visibility }: assets.Asset) => visibility === 'unlisted' || visibility === 'public'

export function posterState(asset: assets.Asset): 'open' | 'signed' | 'none' {
  if (!asset.poster || asset.visibility === 'private') return 'none'
  return isOpen(asset) ? 'open' : 'signed'
}

export function summarize(asset: assets.Asset, origin: string): z.input<typeof Summary> {
  return {
    id: asset.id,
    title: asset.title,
    description: asset.description,
    metadata: asset.metadata,
    externalRef: asset.external_ref,
    filename: asset.filename,
    mimeType: asset.mime_type,
    bytes: asset.bytes,
    processingProfile: asset.profile,
    visibility: asset.visibility,
    status: asset.status,
    current_stage: asset.stage,
    stage: stageLabels[asset.stage],
    failure_code: asset.failure_code,
    failure_summary: asset.failure_summary,
    playable: asset.package_id !== null && asset.status !== 'failed',
    durationSeconds: asset.duration_seconds,
    width: asset.width,
    height: asset.height,
    frameRate: asset.frame_rate,
    posterUrl: posterState(asset) === 'open' ? `${getOpenBase(origin, asset.id)}/poster.jpg` : null,
    clipped_from: asset.clipped_from,
    playable_at: asset.playable_at,
    ready_at: asset.ready_at,
    created_at: asset.created_at,
  }
}
