import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as assets from '#sql/video/assets.ts'
import { frame } from '#tasks/video/frame.ts'
import { mustFind } from '../http/must-find.ts'
import { noAnswerInTime } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { questions, storage } from '../http/services.ts'
import { assetNotReady } from './assets.ts'

/** Time to live of a frame URL in seconds, and timeout for a frame in milliseconds. */
const [linkSeconds, waitMs] = [300, 20_000]

export const create = route({
  method: 'POST',
  path: '/assets/{assetId}/frames',
  summary: 'Create a frame image',
  description: 'Returns the URL of a JPEG, valid for five minutes. The frame is taken from the served renditions.',
  scope: 'stream:read',
  beyondContract: true,
  repeatable: true,
  params: z.object({ assetId: Id }),
  body: z.strictObject({
    time: z.number().min(0).max(1_000_000).describe('Position in seconds from the start'),
    height: z
      .int()
      .min(16)
      .max(2160)
      .default(720)
      .describe('Maximum height in lines, 16 to 2160. Default: 720. Limited by the largest served rendition.'),
  }),
  status: 200,
  reply: z.object({
    url: secret(z.url()),
    time: z.number(),
    contentType: z.literal('image/jpeg'),
    expiresInSeconds: z.int(),
  }),
  problems: ['not_found', assetNotReady, 'upstream_error', noAnswerInTime],
  example: { body: { time: 12.5 } },
  enqueues: frame,
  limit: { perMinute: 120, by: 'org' },
  async handle({ params: { assetId }, body: { time, height }, org, db, services }) {
    const asset = await mustFind(assets.find(db, org.id, assetId), 'asset')
    if (asset.package_id === null || asset.status === 'failed')
      throw assetNotReady(`The asset is ${asset.status}.`, { status: asset.status })
    if (asset.width === null)
      throw badRequest([{ field: 'body.time', issue: 'cannot be used for an asset without video' }])
    if (time > (asset.duration_seconds ?? 0))
      throw badRequest([{ field: 'body.time', issue: `must not be after the end, at ${asset.duration_seconds} s` }])
    const about = { orgId: org.id, subject: assetId, timeout: waitMs }
    const { key } = await services(questions).ask(frame, { assetId, at: time, lines: height }, about)
    if (key === null) throw badRequest([{ field: 'body.time', issue: 'must be a time at which the video has a frame' }])
    const url = await services(storage).signGet(key, linkSeconds)
    return { url, time, contentType: 'image/jpeg' as const, expiresInSeconds: linkSeconds }
  },
})
