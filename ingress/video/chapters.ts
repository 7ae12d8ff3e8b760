import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import * as chapters from '#sql/video/chapters.ts'
import { emitAsset } from '#tasks/video/rules/emit-asset.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { Position } from '../playback/clip-request.ts'

const params = z.object({ assetId: Id })

const mostChapters = 200

const Title = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), 'must not contain control characters or line breaks')

const Chapter = z.object({ start: z.number(), title: z.string() })

const Chapters = z.object({ assetId: Id, chapters: z.array(Chapter) }).meta({ id: 'video.Chapters' })

export const put = route({
  method: 'PUT',
  path: '/assets/{assetId}/chapters',
  summary: 'Set the chapters of an asset',
  description:
    'Replaces all chapters. An empty list deletes them. Players that start later show them, and HLS players get them with the playlist.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  body: z.strictObject({
    chapters: z
      .array(
        z.strictObject({ start: Position.describe('Start in seconds'), title: Title.describe('1 to 200 characters') }),
      )
      .max(mostChapters)
      .superRefine((list, { addIssue }) => {
        for (const [i, { start }] of list.entries())
          if (list.findIndex((other) => other.start === start) < i)
            addIssue({ code: 'custom', path: [i, 'start'], message: 'must be unique' })
      })
      .describe('Up to 200 chapters in any order. Each ends where the next one starts.'),
  }),
  status: 200,
  reply: Chapters,
  problems: ['not_found'],
  example: { body: { chapters: [{ start: 0, title: 'Welcome' }] } },
  async handle({ params: { assetId }, body, org, db }) {
    const sorted = body.chapters.toSorted((a, b) => a.start - b.start)
    await db.transaction(async (tx) => {
      const asset = await mustFind(assets.lock(tx, org.id, assetId), 'asset')
      checkStarts(body.chapters, asset.duration_seconds)
      await chapters.put(tx, org.id, assetId, sorted)
      await emitAsset(tx, assetId, 'video.asset.updated')
    })
    return { assetId, chapters: sorted }
  },
})

/** Throws a 400 that names each chapter after the end of the video. The length is `null` until it is known. */
function checkStarts(list: readonly { start: number }[], seconds: number | null): void {
  if (seconds === null) return
  const faults = list.flatMap(({ start }, i): Fault[] =>
    start < seconds
      ? []
      : [{ field: `body.chapters.${i}.start`, issue: `must be before the end of the video, at ${seconds} s` }],
  )
  if (faults.length > 0) throw badRequest(faults)
}

export const read = route({
  method: 'GET',
  path: '/assets/{assetId}/chapters',
  summary: 'Read the chapters of an asset',
  description: 'Returns the chapters in order of their start.',
  scope: 'stream:read',
  beyondContract: true,
  params,
  status: 200,
  reply: Chapters,
  problems: ['not_found'],
  async handle({ params: { assetId }, org, db }) {
    await mustFind(assets.find(db, org.id, assetId), 'asset')
    const found = await mustFind(chapters.find(db, assetId), 'asset')
    return { assetId, chapters: found.chapters }
  },
})
