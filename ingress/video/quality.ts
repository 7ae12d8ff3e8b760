import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import * as assets from '#sql/video/assets.ts'
import * as quality from '#sql/video/quality.ts'
import { startupAt } from '#sql/video/startup.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { emptyTotals } from './playback/aggregate.ts'

const day = 24 * 3600_000
const maxDays = 92

const ratio = (what: string) => z.number().nullable().describe(`${what}. \`null\` if there is no data.`)

const Figures = z.object({
  views: z.int(),
  playSeconds: z.number(),
  startupP50Seconds: z.number().nullable().describe('Median start-up time from a histogram, accurate to about a tenth'),
  startupP95Seconds: z.number().nullable(),
  rebufferRatio: ratio('Share of waiting time in the total of playing and waiting time'),
  rebuffers: z.int(),
  meanBitrate: ratio('Average bitrate while playing, in bits per second'),
  errorRate: ratio('Share of views that ended with an error'),
  droppedFrameRatio: ratio('Share of decoded frames that were not shown'),
  switches: z.int().describe('Number of rendition changes'),
})

const Quality = z
  .object({
    assetId: Id,
    from: Instant,
    to: Instant,
    totals: Figures,
    hours: z.array(Figures.extend({ at: Instant })).describe('Oldest first, in UTC. Hours without views are omitted.'),
    errors: z.array(z.object({ code: z.string(), fatal: z.boolean(), count: z.int() })).describe('Most frequent first'),
  })
  .meta({ id: 'video.Quality' })

export const read = route({
  method: 'GET',
  path: '/assets/{assetId}/quality',
  summary: 'Read the playback quality of an asset',
  description:
    'Returns data that players sent as beacons. A view is counted in the hour in which it starts. Time is counted in the hour in which it is reported.',
  scope: 'stream:read',
  reads: 'replica',
  beyondContract: true,
  params: z.object({ assetId: Id }),
  query: z.object({
    from: InstantInput.optional().describe(
      'Start of the period. Default: seven days before `to`. Rounded down to the hour.',
    ),
    to: InstantInput.optional().describe('End of the period. Default: now.'),
  }),
  status: 200,
  reply: Quality,
  problems: ['not_found'],
  async handle({ params, query, org, db }) {
    const { from, to } = rangeOf(query)
    const asset = await mustFind(assets.find(db, org.id, params.assetId), 'asset')
    const [hours, errors] = await Promise.all([
      quality.list(db, asset.id, from, to),
      quality.listErrors(db, asset.id, from, to),
    ])
    return {
      assetId: asset.id,
      from,
      to,
      totals: figures(hours.reduce(plus, emptyTotals())),
      hours: hours.map((hour) => ({ at: hour.at, ...figures(hour) })),
      errors: [...errors],
    }
  },
})

function rangeOf(query: { from?: string | undefined; to?: string | undefined }): { from: Date; to: Date } {
  const to = query.to === undefined ? new Date() : new Date(query.to)
  const from = query.from === undefined ? new Date(to.getTime() - 7 * day) : new Date(query.from)
  from.setUTCMinutes(0, 0, 0)
  if (from >= to) throw badRequest([{ field: 'query.from', issue: 'must be before `to`' }])
  if (to.getTime() - from.getTime() > maxDays * day + 3600_000) {
    throw badRequest([{ field: 'query.from', issue: `must be at most ${maxDays} days before \`to\`` }])
  }
  return { from, to }
}

const sums = [
  ...(['views', 'failed_views', 'starts', 'play_ms', 'rebuffer_ms'] as const),
  ...(['rebuffers', 'bits', 'decoded', 'dropped', 'switches'] as const),
]

function plus(total: quality.PlaybackTotals, hour: quality.PlaybackTotals): quality.PlaybackTotals {
  for (const field of sums) total[field] += hour[field]
  total.startup = total.startup.map((count, bucket) => count + (hour.startup[bucket] ?? 0))
  return total
}

function figures(sum: quality.PlaybackTotals) {
  return {
    views: sum.views,
    playSeconds: sum.play_ms / 1000,
    startupP50Seconds: inSeconds(startupAt(sum.startup, 0.5)),
    startupP95Seconds: inSeconds(startupAt(sum.startup, 0.95)),
    rebufferRatio: share(sum.rebuffer_ms, sum.play_ms + sum.rebuffer_ms),
    rebuffers: sum.rebuffers,
    meanBitrate: share(sum.bits * 1000, sum.play_ms, 0),
    errorRate: share(sum.failed_views, sum.views),
    droppedFrameRatio: share(sum.dropped, sum.decoded),
    switches: sum.switches,
  }
}

const inSeconds = (ms: number | null) => (ms === null ? null : ms / 1000)

const share = (part: number, whole: number, digits = 6) => (whole === 0 ? null : Number((part / whole).toFixed(digits)))
