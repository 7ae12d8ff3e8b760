import { z } from 'zod'
import { badRequest, type Fault, notFound, Problem } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import type { SessionWindow } from '#sql/playback/sessions.ts'
import type { Asset } from '#sql/video/assets.ts'
import * as playlists from '#sql/video/playlists.ts'
import { firstVariant } from '#tasks/video/rules/captions/playlist.ts'
import { Position } from '../../playback/clip-request.ts'
import { SessionRequest } from '../../playback/viewer-sessions.ts'
import { windowOf } from './window.ts'

/** End of a window that has only a start. Later than the end of every video. */
const farEnd = 1_000_000

export const WindowedRequest = SessionRequest.safeExtend({
  start: Position.optional().describe('Start of the part that the viewer can play, in seconds. Default: 0.'),
  end: Position.optional().describe('End of the part that the viewer can play, in seconds. Default: the end.'),
}).refine(({ start = 0, end = farEnd }) => start < end, { path: ['end'], error: 'must be after `start`' })

type Range = Pick<z.output<typeof WindowedRequest>, 'start' | 'end'>

export interface PlayedWindow {
  start: number
  end: number
}

export const windowReply = z
  .object({ start: z.number(), end: z.number() })
  .optional()
  .describe('Only with a window: part that the viewer can play. It has the whole segments that contain the range.')

export const rangeOf = ({ start, end }: Range): SessionWindow =>
  start === undefined && end === undefined ? {} : { window_start: start ?? 0, window_end: end ?? farEnd }

interface WindowCall {
  body: Range
}

/** Returns the windows of the requests that have one, or the reason why a request is rejected. */
export async function findWindows<Call extends WindowCall>(
  tx: Db,
  calls: readonly Call[],
  assetOf: (call: Call) => Asset | Problem,
): Promise<Map<Call, PlayedWindow | Problem>> {
  const found = new Map<Call, PlayedWindow | Problem>()
  for (const call of calls) {
    const { window_start: start, window_end: end } = rangeOf(call.body)
    const asset = assetOf(call)
    if (start === undefined || start === null || asset instanceof Problem) continue
    found.set(call, checkRange(call.body, asset) ?? (await findPlayed(tx, asset, start, end ?? farEnd)))
  }
  return found
}

function checkRange({ start = 0, end = 0 }: Range, { duration_seconds }: Asset): Problem | undefined {
  const seconds = duration_seconds ?? 0
  const faults: Fault[] = []
  if (start >= seconds)
    faults.push({ field: 'body.start', issue: `must be before the end of the video, at ${seconds} s` })
  if (end > seconds)
    faults.push({ field: 'body.end', issue: `must not be after the end of the video, at ${seconds} s` })
  return faults.length > 0 ? badRequest(faults) : undefined
}

async function findPlayed(tx: Db, asset: Asset, start: number, end: number): Promise<PlayedWindow | Problem> {
  const packageId = asset.package_id ?? ''
  const master = await playlists.find(tx, asset.id, packageId, 'master.m3u8')
  const variant = master && firstVariant(master)
  const text = variant && (await playlists.find(tx, asset.id, packageId, variant))
  if (!text) return notFound('asset')
  const { from, to } = windowOf(text, start, end)
  return { start: Number(from.toFixed(3)), end: Number(to.toFixed(3)) }
}
