const drawn = new WeakMap()
const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3], [8, 2], [1, 4]]

const dark = matchMedia('(prefers-color-scheme: dark)')

const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark'

/** Returns the colour of a token, which is `light-dark(#…, #…)`. */
const colour = (name) => {
  const colours = getComputedStyle(document.documentElement).getPropertyValue(name).match(/#\w+/g)
  return colours?.at(isDark() ? -1 : 0) ?? ''
}

const seconds = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800].concat([
  3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 432_000, 864_000,
])

const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

const byteUnits = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

function bytes(value) {
  const power = value < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log2(value) / 10))
  return `${Number((value / 1024 ** power).toPrecision(3))} ${byteUnits[power]}`
}

function duration(seconds) {
  if (seconds === 0) return '0'
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  for (const [name, size] of Object.entries({ d: 86_400, h: 3600, m: 60 })) {
    if (seconds >= size) return `${Math.round((seconds / size) * 10) / 10} ${name}`
  }
  return `${Math.round(seconds * 10) / 10} s`
}

function worded(unit, value) {
  if (value === null || value === undefined) return '–'
  if (unit === 'seconds') return duration(value)
  if (unit === 'share') return `${Number((value * 100).toPrecision(2))} %`
  if (unit === 'bytes') return bytes(value)
  if (unit === 'bits') return `${Number((value / 1e6).toPrecision(3))} Mbit/s`
  const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value)
  return unit === 'count' ? number : `${number}/min`
}

function onAxis(unit, tick) {
  if (unit === 'seconds') return duration(tick)
  return unit === 'share' ? `${Number((tick * 100).toFixed(3))} %` : short.format(tick)
}

const dataOf = ({ from, step, series }) => {
  const length = Math.max(0, ...series.map(({ values }) => values.length))
  return [Array.from({ length }, (_, i) => from + i * step), ...series.map(({ values }) => values)]
}

function follow(figure, plot) {
  const labels = [...figure.querySelectorAll('.legend b')]
  const time = figure.querySelector('figcaption p')
  const rest = [time.textContent, ...labels.map((label) => label.textContent)]
  return ({ cursor, data }) => {
    const i = cursor.idx
    const there = i !== null && i !== undefined && cursor.left >= 0
    const at = there ? new Date(data[0][i] * 1000).toISOString().replace('T', ' ') : ''
    time.textContent = there ? `${at.slice(5, 16)} UTC` : rest[0]
    labels.forEach((label, s) => {
      label.textContent = there ? worded(plot.unit, data[s + 1][i]) : rest[s + 1]
    })
  }
}

/** @returns {import('uplot').Options} */
function options(canvas, plot) {
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  }
  const clock = (_, ticks, __, ___, step) =>
    ticks.map((tick) => new Date(tick * 1000).toISOString().slice(...(step < 86_400 ? [11, 16] : [5, 10])))
  const values = (_, ticks) => ticks.map((tick) => onAxis(plot.unit, tick))
  return {
    width: canvas.clientWidth,
    height: canvas.clientHeight,
    padding: [8, 8, 0, 0],
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false, x: false }, points: { size: 6 } },
    scales: { y: { range: (_, low, high) => [Math.min(0, low ?? 0), (high || 1) * 1.05] } },
    axes: [
      { ...axis, size: 24, space: 64, values: clock },
      { ...axis, size: 50, space: 30, values, ...(plot.unit === 'seconds' ? { incrs: seconds } : {}) },
    ],
    series: [
      {},
      ...plot.series.map(({ label, bad }, i) => {
        const stroke = colour(bad ? '--bad' : `--tone-${(i % 6) + 1}`)
        const fill = plot.series.length <= 2 ? `${stroke}1f` : undefined
        return {
          label,
          stroke,
          fill,
          width: 1.75,
          dash: dashes[i % 6],
          points: plot.sparse ? { size: 5, fill: stroke } : { show: false },
        }
      }),
    ],
    hooks: { setCursor: [(chart) => drawn.get(canvas)?.follow(chart)] },
  }
}

function draw(canvas) {
  // A page that was rendered without charts did not load the library. The drawing of the ingress remains.
  if (!('uPlot' in window)) return
  const plot = JSON.parse(canvas.dataset.plot)
  const shape = JSON.stringify([plot.unit, plot.series.map(({ label }) => label)])
  const known = drawn.get(canvas)
  const followed = follow(canvas.closest('figure'), plot)
  if (known?.shape === shape) {
    known.follow = followed
    known.chart.setData(dataOf(plot))
    return
  }
  known?.chart.destroy()
  canvas.replaceChildren()
  const state = { shape, follow: followed }
  drawn.set(canvas, state)
  state.chart = new uPlot(options(canvas, plot), dataOf(plot), canvas)
  sizes.observe(canvas)
}

function redraw() {
  for (const canvas of document.querySelectorAll('[data-plot]')) {
    drawn.get(canvas)?.chart.destroy()
    drawn.delete(canvas)
    draw(canvas)
  }
}

const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const { clientWidth: width, clientHeight: height } = target
    drawn.get(target)?.chart?.setSize({ width, height })
  }
})

export function plot() {
  for (const canvas of document.querySelectorAll('[data-plot]')) draw(canvas)
  document.addEventListener('fresh', (event) => {
    const target = /** @type {PageElement} */ (event.target)
    for (const canvas of target.querySelectorAll('[data-plot]')) draw(canvas)
  })
  dark.addEventListener('change', redraw)
  document.addEventListener('theme', redraw)
}
