import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as chapters from '#sql/video/chapters.ts'
import { clip } from '#tasks/video/clip.ts'
import { chaptersWithin } from '#tasks/video/rules/chapters/chapters.ts'
import { createClip } from '#tasks/video/rules/clips/create-clip.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import {
  ClipReply,
  checkClipStorage,
  checkRange,
  clipFields,
  Position,
  planExceeded,
} from '../playback/clip-request.ts'
import { assetFields } from './assets/facts.ts'
import { assetNotReady } from './assets.ts'

export const create = route({
  method: 'POST',
  path: '/assets/{assetId}/clips',
  summary: 'Cut a clip from an asset',
  description:
    'Creates an asset with exactly the frames from `start` to before `end`, 0.5 to 1,800 seconds long. The clip keeps audio tracks, captions, chapters and a watermark. It is processed like an upload. `start` and `end` are moved to the nearest frame.',
  scope: 'stream:write',
  beyondContract: true,
  idempotent: { field: 'idempotencyKey' },
  params: z.object({ assetId: Id }),
  body: z.strictObject({
    start: Position.describe('Start in seconds'),
    end: Position.describe('End in seconds'),
    ...clipFields,
    metadata: assetFields.metadata,
  }),
  status: 201,
  reply: ClipReply.meta({ id: 'video.Clip' }),
  problems: ['not_found', assetNotReady, planExceeded],
  example: { body: { start: 2, end: 7.5, title: 'The best part' } },
  enqueues: clip,
  async handle({ params: { assetId }, body, org, plan, db }) {
    const source = await mustFind(assets.find(db, org.id, assetId), 'asset')
    if (source.package_id === null || source.status === 'failed' || source.duration_seconds === null)
      throw assetNotReady(`The asset is ${source.status}.`, { status: source.status })
    checkRange(body, source.duration_seconds, 'asset')
    const range = { start: toFrame(body.start, source), end: toFrame(body.end, source) }
    const share = (range.end - range.start) / source.duration_seconds
    const expectedBytes = Math.ceil(source.bytes * share)
    await checkClipStorage(db, org.id, plan, expectedBytes)
    const made = await createClip(db, {
      org_id: org.id,
      title: body.title ?? source.title,
      description: body.description ?? null,
      external_ref: body.externalRef ?? null,
      metadata: body.metadata ?? {},
      profile: body.processingProfile,
      visibility: body.visibility ?? source.visibility,
      from: { assetId, channelId: null, broadcastId: null, ...range },
      expectedBytes,
    })
    await copyChapters(db, made, range)
    return { assetId: made.id, status: made.status, clipped_from: mustBeClip(made) }
  },
})

/** Copies the chapters of the range from the source to its clip, with times from the start of the clip. */
async function copyChapters(tx: Db, clip: assets.Asset, { start, end }: { start: number; end: number }): Promise<void> {
  const found = await chapters.find(tx, mustBeClip(clip).assetId ?? '')
  const within = chaptersWithin(found?.chapters ?? [], start, end).map((one) => ({
    start: one.start,
    title: one.title,
  }))
  if (within.length > 0) await chapters.put(tx, clip.org_id, clip.id, within)
}

/** Returns the time of the nearest frame. An audio file has no frames, so its times do not change. */
const toFrame = (at: number, { frame_rate: rate }: assets.Asset): number =>
  rate ? Number((Math.round(at * rate) / rate).toFixed(6)) : at

const mustBeClip = ({ clipped_from: from }: assets.Asset) => from as NonNullable<typeof from>
