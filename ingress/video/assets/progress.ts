import type { Db } from '#sql/db.ts'
import type { Asset } from '#sql/video/assets.ts'
import * as outlook from '#sql/video/outlook.ts'
import * as parts from '#sql/video/parts.ts'
import { findPause } from './pause.ts'

export const stageLabels: Record<Asset['stage'], string> = {
  uploading: 'Waiting for the upload',
  queued: 'Waiting in the queue',
  probing: 'Checking the file',
  remuxing: 'Preparing the file',
  packaging_source: 'Preparing a first version',
  encoding: 'Creating all versions',
  packaging: 'Completing the versions',
  ready: 'Ready to watch',
  failed: 'Processing failed',
  aborted: 'Upload aborted',
}

export const fetchingLabel = 'Downloading the file'

const pausedLabel = 'Waiting because processing is paused'

// Progress in percent at each stage. Encoding is nearly all of the work, and the other stages share the rest.
const stagePercent: Record<Asset['stage'], number> = {
  uploading: 0,
  queued: 0,
  probing: 1,
  remuxing: 2,
  packaging_source: 4,
  encoding: 5,
  packaging: 97,
  ready: 100,
  failed: 0,
  aborted: 0,
}

export interface Progress {
  progress_percent: number
  encoding?: boolean
  queuePosition?: number | null
  stageLabel?: string
  estimatedReadyAt?: Date | null
  etaBasis?: 'progress' | 'historical' | 'paused' | null
}

export async function progressOf(db: Db, asset: Asset): Promise<Progress> {
  if (asset.status !== 'processing') return { progress_percent: stagePercent[asset.stage] }
  const [done, seen, pause] = await Promise.all([
    parts.progress(db, asset.id),
    outlook.find(db, asset.id),
    findPause(db, asset),
  ])
  const encoded = asset.stage === 'encoding' || asset.stage === 'packaging_source' ? done : 0
  // True after processing has started, even if it waits later.
  const encoding = seen.started || asset.stage !== 'queued'
  const percent = Math.max(stagePercent[asset.stage], Math.floor(5 + 92 * encoded))
  return {
    // Nothing has started, so there is no progress to report.
    progress_percent: encoding ? (encoded > 0 ? percent : stagePercent[asset.stage]) : 0,
    encoding,
    queuePosition: encoding ? null : seen.ahead + 1,
    stageLabel: pause.idle ? pausedLabel : encoding ? stageLabels[asset.stage] : stageLabels.queued,
    ...(pause.paused ? ({ estimatedReadyAt: null, etaBasis: 'paused' } as const) : estimate(asset, seen)),
  }
}

/**
 * Estimates the end of processing from the megapixels ahead in the queue and the measured encoding rate of all slots.
 * Returns `null` if there is no measurement or the file has not been probed.
 */
function estimate(asset: Asset, seen: outlook.ProcessingForecast): Pick<Progress, 'estimatedReadyAt' | 'etaBasis'> {
  if (asset.work_units === null || !seen.rate || seen.slots === 0) return { estimatedReadyAt: null, etaBasis: null }
  const seconds = seen.units / (seen.rate * seen.slots)
  const estimatedReadyAt = new Date(Date.now() + (seconds + packagingSeconds) * 1000)
  return { estimatedReadyAt, etaBasis: seen.own ? 'progress' : 'historical' }
}

/** Estimated time in seconds after the last chunk. */
const packagingSeconds = 2
