import type { Day, Share } from '#sql/video/audience-reports.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { count, counted, duration } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { figure } from '../../http/html/plot.ts'
import { type Report, retentionOf, totalOf } from '../analytics/report.ts'

const dayMs = 86_400_000

/** Rows of each table. The API returns more. */
const mostRows = 10

/** Renders the charts of a report. `length` is the duration of the video in seconds, or `null` for several videos. */
export function renderAudience(report: Report, length: number | null): Html {
  const { from, to } = report.query
  const dates = Array.from({ length: (Date.parse(to) - Date.parse(from)) / dayMs + 1 }, (_, i) =>
    new Date(Date.parse(from) + i * dayMs).toISOString().slice(0, 10),
  )
  const byDay = { from: Date.parse(from) / 1000, step: dayMs / 1000, sparse: true } as const
  const days = new Map(report.days.map((one) => [one.day, one]))
  const each = (of: (day: Day) => number) => dates.map((date) => of(days.get(date) ?? noDay))
  const plays = [
    { label: 'plays', values: each((day) => day.plays) },
    { label: 'viewers', values: each((day) => day.viewers) },
  ]
  const time = [{ label: 'watch time', values: each((day) => day.play_ms / 1000) }]
  const failed = [{ label: 'failed plays', values: each((day) => day.failed_plays), bad: true }]
  return html`<div class="plots">
${figure({ ...byDay, name: 'plays', title: 'Plays by day', unit: 'count', noun: 'plays per day', series: plays })}
${figure({ ...byDay, name: 'watch-time', title: 'Watch time by day', unit: 'seconds', series: time })}
${figure({ ...byDay, name: 'failed', title: 'Failed plays by day', unit: 'count', noun: 'plays per day', series: failed })}
${length !== null && retention(report, length)}</div>`
}

const noDay: Day = {
  day: '',
  plays: 0,
  viewers: 0,
  failed_plays: 0,
  errors: 0,
  play_ms: 0,
  measured: 0,
  tenths: [],
}

/** Renders the share of plays that played each tenth of a video. */
function retention(report: Report, length: number): Html {
  const values = retentionOf(report.days) ?? []
  const measured = report.days.reduce((sum, one) => sum + one.measured, 0)
  return figure({
    name: 'retention',
    title: 'Audience retention',
    noun: `share of ${counted(measured, 'play')}`,
    unit: 'share',
    axis: 'position',
    from: 0,
    step: length / 10,
    series: [{ label: 'played each tenth', values }],
  })
}

export function renderTotals(report: Report): Html {
  const { plays, viewers, play_ms, failed_plays } = totalOf(report.days)
  const facts: [string, string][] = [
    ['Plays', count(plays)],
    ['Viewers', count(viewers)],
    ['Watch time', duration(play_ms / 1000)],
    ['Watch time per play', plays === 0 ? '–' : duration(play_ms / 1000 / plays)],
    ['Failed plays', count(failed_plays)],
  ]
  return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

const kinds = { country: 'Countries', device: 'Devices', browser: 'Browsers', page: 'Pages' } as const

/** Renders one table per property. `link` returns the URL of the report with this filter. */
export function renderShares(report: Report, link: (name: string, value: string) => string): Html {
  const of = (dimension: string) => report.shares.filter((one) => one.dimension === dimension).slice(0, mostRows)
  const table = ([dimension, title]: [string, string]) =>
    of(dimension).length > 0 &&
    html`<section><h2>${title}</h2>${shareTable(title, of(dimension), (value) => link(dimension, value))}</section>`
  const errors = of('error').toSorted((a, b) => b.errors - a.errors)
  return html`<div class="columns">${Object.entries(kinds).map(table)}
${errors.length > 0 && html`<section><h2>Errors</h2>${errorTable(errors)}</section>`}</div>`
}

const shareTable = (caption: string, rows: readonly Share[], link: (value: string) => string): Html =>
  dataTable({ caption, key: ({ value }) => value }, rows, {
    Name: ['break', ({ value }) => html`<a href="${link(value)}">${value}</a>`],
    Plays: ({ plays }) => count(plays),
    Viewers: ({ viewers }) => count(viewers),
    'Watch time': ({ play_ms }) => duration(play_ms / 1000),
  })

const errorTable = (rows: readonly Share[]): Html =>
  dataTable({ caption: 'Errors', key: ({ value }) => value }, rows, {
    Error: ({ value }) => value,
    Count: ({ errors }) => count(errors),
    'Failed plays': ({ failed_plays }) => count(failed_plays),
  })
