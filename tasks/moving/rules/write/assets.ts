import { newId } from '#lib/ids.ts'
import { uploadMs } from '#lib/storage/part-plan.ts'
import type { Db } from '#sql/db.ts'
import type { Import } from '#sql/moving/imports.ts'
import type { Result, Row } from '#sql/moving/rows.ts'
import * as assets from '#sql/video/assets.ts'
import * as videoImports from '#sql/video/imports.ts'
import { enqueue } from '../../../queue/enqueue.ts'
import { importUrl } from '../../../video/import.ts'
import { canonicalLanguage } from '../../../video/rules/captions/languages.ts'
import { CaptionsText, storeOwnCaptions } from '../../../video/rules/captions/own-captions.ts'
import { baseUrlOf, type ProviderClient } from '../providers/client.ts'
import { MovingFault } from '../providers/fault.ts'
import { OneAsset } from '../providers/mux.ts'
import type { GivenAsset } from '../providers/source.ts'

/** An asset that waits for its file. */
export interface WaitingAsset extends GivenAsset {
  /** Number of times that the provider was asked for the file. */
  tries?: number
}

/** Time in seconds between two questions, and the number of questions: three hours. */
export const [fileWaitSeconds, mostTries] = [30, 360]

/** Where the file of an asset is. `wait`: the provider is creating it. */
export type AssetFile = { url: string } | 'wait' | { reason: string }

/** Returns the URL of the file: the original if the provider gives it, otherwise the best MP4. */
export async function findFile(client: ProviderClient, item: WaitingAsset): Promise<AssetFile> {
  const { id, tries = 0, file, playback_id, is_public } = item
  const rendition = file && playback_id && is_public ? `${baseUrlOf('mux-stream')}/${playback_id}/${file}` : null
  try {
    const { data } = await client.json(`/video/v1/assets/${encodeURIComponent(id)}`, OneAsset)
    if (data.master?.status === 'ready' && data.master.url) return { url: data.master.url }
    if (data.master?.status === 'errored' || tries >= mostTries)
      return orReason(rendition, 'The provider has not created the file.')
    if (!data.master) {
      const body = { master_access: 'temporary' }
      await client.json(`/video/v1/assets/${encodeURIComponent(id)}/master-access`, OneAsset, { method: 'PUT', body })
    }
    return 'wait'
  } catch (error) {
    if (!(error instanceof MovingFault)) throw error
    return orReason(rendition, error.message)
  }
}

const orReason = (url: string | null, reason: string): AssetFile => (url === null ? { reason } : { url })

export interface FetchedTrack {
  language: string
  name: string | null
  text: unknown
}

/** Maximum size of captions in bytes, and maximum number of tracks. */
const [captionBytes, mostTracks] = [700_000, 20]

/** Downloads the captions of an asset. Captions of assets that need a signature are not available. */
export async function fetchCaptions(
  client: ProviderClient,
  { captions, playback_id, is_public }: WaitingAsset,
): Promise<FetchedTrack[]> {
  if (!is_public || playback_id === null) return []
  const tracks: FetchedTrack[] = []
  for (const { id, language, name } of captions.slice(0, mostTracks)) {
    const tag = canonicalLanguage(language)
    if (tag === undefined || tracks.some((one) => one.language === tag)) continue
    const url = `${baseUrlOf('mux-stream')}/${playback_id}/text/${encodeURIComponent(id)}.vtt`
    const text = await client.text(url, captionBytes)
    if (text !== null) tracks.push({ language: tag, name, text })
  }
  return tracks
}

/** Creates the asset and the job that downloads its file. An asset that was imported before is not created again. */
export async function writeAsset(
  tx: Db,
  { org_id }: Import,
  { number, item }: Row,
  url: string,
  tracks: readonly FetchedTrack[],
): Promise<Result> {
  const { id, title, passthrough, playback_id, captions } = item as unknown as WaitingAsset
  const known = await assets.findByExternalRef(tx, org_id, id)
  if (known !== null) return { number, outcome: 'existing', reason: null, target_id: known }
  const metadata = {
    mux_asset_id: id,
    ...(playback_id && { mux_playback_id: playback_id }),
    ...(passthrough && { mux_passthrough: passthrough.slice(0, 255) }),
  }
  const row = { id: newId(), org_id, title, description: null, metadata, external_ref: id, watermark: null }
  const file = { filename: `${id}.mp4`, mime_type: null, bytes: 0, profile: 'standard_vod' as const }
  const asset = await assets.insert(tx, { ...row, ...file })
  let stored = 0
  for (const { language, name, text } of tracks) {
    const read = CaptionsText.safeParse(text)
    if (read.success && (await storeOwnCaptions(tx, asset, { language, name, isDefault: false, text: read.data })))
      stored++
  }
  await videoImports.insert(tx, { asset_id: asset.id, org_id, url, expires_at: new Date(Date.now() + uploadMs) })
  await enqueue(tx, importUrl, { assetId: asset.id }, { subject: asset.id, orgId: org_id })
  const lost = captions.length - stored
  const reason = lost > 0 ? `${lost} of ${captions.length} caption tracks were not imported.` : null
  return { number, outcome: 'imported', reason, target_id: asset.id }
}
