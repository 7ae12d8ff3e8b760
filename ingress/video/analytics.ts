import { Readable } from 'node:stream'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { audienceLines } from './analytics/csv.ts'
import { periodOf, periodQuery, sliceOf, sliceQuery } from './analytics/query.ts'
import { figuresOf, mostShares, presentReport, readReport } from './analytics/report.ts'

const count = z.int()

const Figures = z.object({
  plays: count.describe('Views that showed a first frame'),
  viewers: count.describe('Different viewers per day, added up over the days'),
  playSeconds: z.number().describe('Watch time in seconds'),
  failedPlays: count.describe('Views that an error ended'),
  errors: count.describe('Errors, including those that playback survived'),
})

const Share = Figures.extend({ value: z.string() })

const Shares = z.array(Share)

const Report = z.object({
  from: z.string(),
  to: z.string(),
  filter: z
    .object({ country: z.string(), device: z.string(), browser: z.string(), page: z.string() })
    .partial()
    .describe('The filter of the request. Empty without one.'),
  totals: Figures.extend({
    averagePlaySeconds: z.number().nullable().describe('Watch time per play in seconds. `null` without plays.'),
  }),
  days: z.array(Figures.extend({ day: z.string() })).describe('Oldest first, in UTC. Days without data are omitted.'),
  retention: z
    .array(z.number())
    .nullable()
    .describe('Share of plays that reached each tenth of the video, 10 numbers from 0 to 1. `null` without data.'),
  countries: Shares.describe(`Codes of ISO 3166-1 alpha-2, or \`unknown\`. Up to ${mostShares}, most plays first.`),
  devices: Shares.describe('`desktop`, `mobile`, `tablet`, `tv`, `console`, `other` or `unknown`'),
  browsers: Shares.describe('For example, `chrome`, `safari` or `firefox`'),
  pages: Shares.describe(`Origin and path of web pages, \`other\` or \`unknown\`. Up to ${mostShares}.`),
  errors: z
    .array(z.object({ code: z.string(), count, fatal: count.describe('Views that this error ended') }))
    .describe('Most frequent first'),
})

const AssetReport = Report.extend({ assetId: Id }).meta({ id: 'video.AssetAnalytics' })

const OrgReport = Report.extend({
  assets: z
    .array(Figures.extend({ assetId: Id, title: z.string().nullable() }))
    .describe(`Assets with the most plays, up to ${mostShares}. Empty with a filter.`),
}).meta({ id: 'video.Analytics' })

const query = z.object({ ...periodQuery, ...sliceQuery })

const shared = {
  method: 'GET',
  scope: 'stream:read',
  status: 200,
} as const

const days =
  'Days are in UTC. A play counts on the day when it starts, and watch time on the day when the player reports it. Bots are not counted. With a filter, the lists of other properties are empty.'

export const readAsset = route({
  ...shared,
  path: '/assets/{assetId}/analytics',
  summary: 'Read the analytics of an asset',
  description: days,
  reads: 'replica',
  beyondContract: true,
  params: z.object({ assetId: Id }),
  query,
  reply: AssetReport,
  problems: ['not_found'],
  async handle({ params, query, org, db }) {
    const [period, slice] = [periodOf(query), sliceOf(query)]
    const { id } = await mustFind(assets.find(db, org.id, params.assetId), 'asset')
    const report = await readReport(db, { orgId: org.id, assetId: id, ...period }, slice)
    return { assetId: id, ...presentReport(report) }
  },
})

export const readAll = route({
  ...shared,
  path: '/analytics',
  summary: 'Read the analytics of all assets',
  description: `${days} Deleted assets stay in the figures of the organisation.`,
  reads: 'replica',
  beyondContract: true,
  query,
  reply: OrgReport,
  async handle({ query, org, db }) {
    const [period, slice] = [periodOf(query), sliceOf(query)]
    const report = await readReport(db, { orgId: org.id, ...period }, slice)
    return {
      ...presentReport(report),
      assets: report.assets.map(({ asset_id, title, ...sums }) => ({ assetId: asset_id, title, ...figuresOf(sums) })),
    }
  },
})

export const download = route({
  ...shared,
  path: '/analytics/export',
  summary: 'Export analytics as CSV',
  description:
    'One row per dimension, day and value, in this order. The dimension `all` comes first and has the sums of each day. Values that a spreadsheet would run as a formula start with an apostrophe.',
  beyondContract: true,
  limit: { perMinute: 10, by: 'org' },
  query: z.object({ ...periodQuery, assetId: Id.optional().describe('Default: all assets of the organisation') }),
  raw: 'text/csv',
  problems: ['not_found'],
  async handle({ ctx, query, org, db }) {
    const { assetId } = query
    const period = periodOf(query)
    if (assetId !== undefined) await mustFind(assets.find(db, org.id, assetId), 'asset')
    ctx.type = 'text/csv; charset=utf-8'
    ctx.set('content-disposition', 'attachment; filename="analytics.csv"')
    ctx.body = Readable.from(audienceLines(db, { orgId: org.id, assetId, ...period }))
  },
})
