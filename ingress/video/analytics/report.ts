import type { Db } from '#sql/db.ts'
import * as reports from '#sql/video/audience-reports.ts'

/** Maximum number of values of a dimension, and of assets, in a report. */
export const mostShares = 100

export interface Report {
  query: reports.AudienceQuery
  slice: reports.Slice
  days: readonly reports.Day[]
  shares: readonly reports.Share[]
  assets: readonly reports.AssetShare[]
}

/** Reads a report. With a filter, it has no shares and no assets. */
export async function readReport(db: Db, query: reports.AudienceQuery, slice: reports.Slice): Promise<Report> {
  const isWhole = slice.dimension === 'all'
  const [days, shares, assets] = await Promise.all([
    reports.listDays(db, query, slice),
    isWhole ? reports.listShares(db, query, mostShares) : [],
    isWhole && query.assetId === undefined ? reports.listAssets(db, query, mostShares) : [],
  ])
  return { query, slice, days, shares, assets }
}

type Sums = Pick<reports.Day, 'plays' | 'viewers' | 'failed_plays' | 'errors' | 'play_ms'>

export const figuresOf = ({ plays, viewers, failed_plays, errors, play_ms }: Sums) => ({
  plays,
  viewers,
  playSeconds: play_ms / 1000,
  failedPlays: failed_plays,
  errors,
})

export function totalOf(days: readonly Sums[]): Sums {
  const sum = (name: keyof Sums) => days.reduce((total, day) => total + day[name], 0)
  return {
    plays: sum('plays'),
    viewers: sum('viewers'),
    failed_plays: sum('failed_plays'),
    errors: sum('errors'),
    play_ms: sum('play_ms'),
  }
}

/** Returns the share of plays that played each tenth of the video, or `null` if no play reported it. */
export function retentionOf(days: readonly reports.Day[]): number[] | null {
  const measured = days.reduce((sum, day) => sum + day.measured, 0)
  if (measured === 0) return null
  return Array.from({ length: 10 }, (_, tenth) => {
    const played = days.reduce((sum, { tenths }) => sum + (tenths[tenth] ?? 0), 0)
    return Number((played / measured).toFixed(4))
  })
}

export function presentReport({ query, slice, days, shares }: Report) {
  const totals = totalOf(days)
  const of = (dimension: string) =>
    shares.flatMap((one) => (one.dimension === dimension ? [{ value: one.value, ...figuresOf(one) }] : []))
  return {
    from: query.from,
    to: query.to,
    filter: slice.dimension === 'all' ? {} : { [slice.dimension]: slice.value },
    totals: {
      ...figuresOf(totals),
      averagePlaySeconds: totals.plays === 0 ? null : Math.round(totals.play_ms / totals.plays) / 1000,
    },
    days: days.map((one) => ({ day: one.day, ...figuresOf(one) })),
    retention: retentionOf(days),
    countries: of('country'),
    devices: of('device'),
    browsers: of('browser'),
    pages: of('page'),
    errors: of('error')
      .map(({ value, errors, failedPlays }) => ({ code: value, count: errors, fatal: failedPlays }))
      .sort((a, b) => b.count - a.count),
  }
}
