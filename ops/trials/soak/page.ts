import { html } from '../../../ingress/http/html/html.ts'
import { drawPlot, type Line, type Plot } from './plots.ts'
import type { SoakReport } from './run.ts'
import type { ProcessSample, Sample } from './sampler.ts'
import { formatTrendRow, formatValue, trendHeads } from './tell.ts'

const mostTables = 8

/** Returns the page of a soak test: verdict, trends, plots. It uses no JavaScript and loads nothing. */
export function renderPage(report: SoakReport): string {
  const { broken, ledger, strikes, areas, trends, rate, minutes, begunAt, warm } = report
  const verdict =
    broken.length === 0
      ? html`<p class="holds">Passed: no value rises after the first ${Math.round(warm / 6) / 10} minutes, and the final check passed.</p>`
      : html`<ul class="broken">${broken.map((claim) => html`<li>${claim}</li>`)}</ul>`
  const trendRows = trends.map(
    (trend) =>
      html`<tr class="${trend.rises ? 'rises' : ''}">${formatTrendRow(trend).map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )
  const areaRows = Object.entries(areas).map(
    ([area, { done, excused, failed }]) =>
      html`<tr><td>${area}</td><td>${done}</td><td>${excused}</td><td>${failed}</td></tr>`,
  )
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Soak test of ${begunAt}</title><style>${style}</style></head>
<body><h1>Soak test of ${begunAt}</h1>
<p>${minutes} minutes at ${rate} items per second. Faults: ${strikes.length}. Accepted: ${ledger.accepted}. Effects: ${ledger.effects}.</p>
${verdict}
${plotsOf(report).map((plot) => drawPlot(plot, report))}
<h2>Trends</h2><div class="wide"><table><tr>${trendHeads.map((head) => html`<th>${head}</th>`)}</tr>${trendRows}</table></div>
<h2>Areas</h2><div class="wide"><table><tr><th>area</th><th>done</th><th>no effect during a fault</th><th>failed</th></tr>${areaRows}</table></div>
<h2>Faults</h2><ol>${strikes.map(({ name, from, to }) => html`<li>${name}: from ${Math.round(from)} s to ${Math.round(to)} s</li>`)}</ol>
</body></html>`
  return page.text
}

function plotsOf({ samples, tables }: SoakReport): Plot[] {
  const names = [...new Set(samples.flatMap(({ processes }) => Object.keys(processes)))].sort()
  const ofProcesses = (value: (sample: ProcessSample) => number | undefined): Line[] =>
    names.map((label) => ({
      label,
      points: samples.map(({ at, processes }) => {
        const sample = processes[label]
        return sample ? { at, value: value(sample), life: sample.pid } : { at, value: undefined }
      }),
    }))
  const line = (label: string, value: (sample: Sample) => number | undefined): Line => ({
    label,
    points: samples.map((sample) => ({ at: sample.at, value: value(sample) })),
  })
  const largest = (tables.at(-1)?.tables ?? []).slice(0, mostTables).map(({ name }) => name)
  const ofTables = (value: (table: (typeof tables)[number]['tables'][number]) => number): Line[] =>
    largest.map((label) => ({
      label,
      points: tables.map(({ at, tables }) => {
        const table = tables.find(({ name }) => name === label)
        return { at, value: table && value(table) }
      }),
    }))
  const count = (value: number) => String(Math.round(value))
  const bytes = (value: number) => formatValue('bytes', value)
  return [
    { title: 'Memory (PSS)', lines: ofProcesses(({ pss }) => pss), say: bytes },
    { title: 'Open descriptors', lines: ofProcesses(({ handles }) => handles), say: count },
    { title: 'Sockets', lines: ofProcesses(({ sockets }) => sockets), say: count },
    { title: 'Threads', lines: ofProcesses(({ threads }) => threads), say: count },
    { title: 'Child processes', lines: ofProcesses(({ children }) => children), say: count },
    {
      title: 'Event-loop delay, p99',
      lines: ofProcesses(({ delay }) => delay),
      say: (value) => formatValue('loop delay', value),
    },
    {
      title: 'Postgres connections',
      lines: [line('connections', ({ database }) => database?.connections)],
      say: count,
    },
    {
      title: 'Jobs',
      lines: [
        line('waiting', ({ database }) => database?.waiting),
        line('running', ({ database }) => database?.running),
      ],
      say: count,
    },
    {
      title: 'Failed requests, cumulative',
      lines: [line('repeated', ({ repeated }) => repeated), line('visits without effect', ({ failed }) => failed)],
      say: count,
    },
    { title: 'Tables', lines: ofTables(({ heap }) => heap), say: bytes },
    { title: 'Indexes', lines: ofTables(({ indexes }) => indexes), say: bytes },
    {
      title: 'Share of dead rows',
      lines: ofTables(({ dead }) => dead),
      say: (value) => formatValue('dead rows', value),
    },
    {
      title: 'Share of free space',
      lines: ofTables(({ free }) => free),
      say: (value) => formatValue('dead rows', value),
    },
  ]
}

const tones = [
  '#0b65c2,#6cb2ff',
  '#b3480a,#ffa261',
  '#1b7a3d,#6fd08c',
  '#8a2fb0,#d99bf2',
  '#a8123f,#ff8fae',
  '#0a7580,#63d4de',
]
const more = ['#6b5a00,#e2cc52', '#555,#bbb']
const styleOfTones = [...tones, ...more].map((pair, i) => `.tone-${i}{stroke:light-dark(${pair})}`).join('')

const style = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
body{max-width:1000px;margin:2rem auto;padding:0 1rem;background:light-dark(#fff,#14171a);color:light-dark(#1c2024,#e4e7ea)}
h1{font-size:1.5rem}h2{font-size:1.05rem;margin:1.6rem 0 .3rem}figure{margin:0}
figure svg{width:100%;height:auto}text{font-size:11px;fill:light-dark(#555,#aaa)}
.line{fill:none;stroke-width:1.5}${styleOfTones}
.grid{stroke:light-dark(#ddd,#333)}.warm{fill:light-dark(#f1f3f5,#1d2226)}.fault{fill:light-dark(#d33,#f66);opacity:.22}
figure ul{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;margin:0;padding:0}figure li svg{width:18px;height:6px;margin-right:.4rem}
.wide{overflow-x:auto}table{border-collapse:collapse}td,th{padding:.15rem .8rem .15rem 0;text-align:left;border-bottom:1px solid light-dark(#ddd,#333)}
.holds{font-weight:600;color:light-dark(#1b7a3d,#6fd08c)}.broken li,.rises td{font-weight:600;color:light-dark(#a8123f,#ff8fae)}`
