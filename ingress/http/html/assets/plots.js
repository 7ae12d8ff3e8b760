const drawn = new WeakMap()
const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3], [8, 2], [1, 4]]

const dark = matchMedia('(prefers-color-scheme: dark)')

/** Returns the colour of a token in the theme of the page. */
function colour(name) {
  const probe = document.createElement('span')
  probe.className = 'unseen'
  document.body.append(probe)
  probe.style.color = `var(${name})`
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const fainter = (rgb) => rgb.replace(/^rgb\((.*)\)$/, 'rgb($1, 0.14)')

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
  if (unit === 'share') return `${Number((tick * 100).toFixed(3))} %`
  if (unit === 'bytes' || unit === 'bits') return worded(unit, tick)
  return unit === 'per minute' ? `${short.format(tick)}/min` : short.format(tick)
}

/** Steps between the ticks of an axis. Counts have no fractions. */
const counts = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat()
const powers = Array.from({ length: 50 }, (_, power) => 2 ** power)
const incrs = { count: counts, bytes: powers, seconds }

const day = 86_400
const days = [1, 2, 5, 7, 14, 30, 60, 90, 180].map((one) => one * day)
const positions = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200]

const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

const position = (at) => {
  const [hours, rest] = [Math.floor(at / 3600), Math.floor(at % 3600)]
  const clock = `${Math.floor(rest / 60)}:${String(rest % 60).padStart(2, '0')}`
  return hours > 0 ? `${hours}:${clock.padStart(5, '0')}` : clock
}

/** Text of a tick of the time axis: the time, or the date of a day and of midnight. */
function onTimeAxis(plot, tick, step) {
  if (plot.axis === 'position') return position(tick)
  const at = new Date(tick * 1000)
  return step >= day || tick % day === 0 ? date.format(at) : at.toISOString().slice(11, 16)
}

function instant(plot, at) {
  if (plot.axis === 'position') return position(at)
  const iso = new Date(at * 1000).toISOString()
  return plot.step >= day ? iso.slice(0, 10) : `${iso.slice(5, 16).replace('T', ' ')} UTC`
}

const dataOf = ({ from, step, series }) => {
  const length = Math.max(0, ...series.map(({ values }) => values.length))
  return [Array.from({ length }, (_, i) => from + i * step), ...series.map(({ values }) => values)]
}

/** Returns the function that shows the values at the cursor in a box beside it. */
function follow(canvas, plot) {
  const box = document.createElement('div')
  box.className = 'plot-tip'
  box.hidden = true
  const time = document.createElement('b')
  const rows = plot.series.map(({ label }, i) => {
    const row = document.createElement('span')
    const swatch = document.createElement('i')
    swatch.style.background = toneOf(plot, i)
    const words = document.createElement('span')
    words.textContent = label
    row.append(swatch, words, document.createElement('b'))
    return row
  })
  box.append(time, ...rows)
  canvas.append(box)
  return ({ cursor, data, over }) => {
    const i = cursor.idx
    box.hidden = i === null || i === undefined || cursor.left < 0
    if (box.hidden) return
    time.textContent = instant(plot, data[0][i])
    rows.forEach((row, s) => {
      row.children[2].textContent = worded(plot.unit, data[s + 1][i])
    })
    const left = over.offsetLeft + cursor.left
    const beyond = left + box.offsetWidth + 14 > canvas.clientWidth
    box.style.transform = `translate(${beyond ? Math.max(0, left - box.offsetWidth - 12) : left + 12}px, 6px)`
  }
}

const toneOf = ({ series }, i) => colour(series[i].bad ? '--bad' : `--tone-${(i % 6) + 1}`)

/** Moves the cursor by keyboard, from the last value backward. */
function step(event, chart) {
  const last = chart.data[0].length - 1
  const i = chart.cursor.idx
  const to = {
    ArrowLeft: Math.max(0, (i ?? last + 1) - 1),
    ArrowRight: Math.min(last, (i ?? last - 1) + 1),
    Home: 0,
    End: last,
  }[event.key]
  if (to === undefined) return
  event.preventDefault()
  chart.setCursor({ left: chart.valToPos(chart.data[0][to], 'x'), top: 10 })
}

/** Fills the table of a chart when the user opens it. */
function list(details) {
  if (!details?.open) return
  const { plot } = details.closest('figure').querySelector('[data-plot]').dataset
  const shown = JSON.parse(plot)
  const [at, ...values] = dataOf(shown)
  const table = document.createElement('table')
  table.className = 'data'
  const rowOf = (cells, of, scope) => {
    const row = table.insertRow()
    cells.forEach((text, i) => {
      const cell = document.createElement(i === 0 || scope === 'col' ? 'th' : of)
      if (cell.localName === 'th') cell.scope = scope
      if (i > 0) cell.className = 'number'
      cell.textContent = text
      row.append(cell)
    })
  }
  rowOf([shown.axis === 'position' ? 'Position' : 'Time', ...shown.series.map(({ label }) => label)], 'th', 'col')
  for (let i = at.length - 1; i >= 0; i--) {
    rowOf([instant(shown, at[i]), ...values.map((one) => worded(shown.unit, one[i]))], 'td', 'row')
  }
  details.querySelector('[data-values]').replaceChildren(table)
}

/** @returns {import('uplot').Options} */
function options(canvas, plot) {
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  }
  const { series, sparse, step } = plot
  const bars = sparse && series.length === 1 && plot.axis !== 'position'
  const beside = bars ? step / 2 : 0
  const values = (_, ticks) => ticks.map((tick) => onAxis(plot.unit, tick))
  const size = (_, shown) => Math.max(34, ...(shown ?? []).map((text) => text.length * 6.4 + 16))
  const steps = plot.axis === 'position' ? positions : step >= day ? days : undefined
  return {
    width: canvas.clientWidth,
    height: canvas.clientHeight,
    padding: [10, 26, 0, 0],
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false, x: false }, points: { show: !bars, size: 7 } },
    scales: {
      x: { time: plot.axis !== 'position', range: (_, low, high) => [low - beside, high + beside] },
      y: { range: (_, low, high) => [Math.min(0, low ?? 0), (high || 1) * 1.08] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        gap: 7,
        space: 70,
        values: (_, ticks, __, ___, found) => ticks.map((tick) => onTimeAxis(plot, tick, found)),
        ...(steps && { incrs: steps }),
      },
      { ...axis, size, space: 34, values, ...(incrs[plot.unit] && { incrs: incrs[plot.unit] }) },
    ],
    series: [
      {},
      ...series.map(({ label }, i) => {
        const stroke = toneOf(plot, i)
        return {
          label,
          stroke,
          fill: bars ? stroke : series.length <= 2 ? fainter(stroke) : undefined,
          width: bars ? 0 : 1.75,
          dash: dashes[i % 6],
          points: sparse && !bars ? { size: 5, fill: stroke } : { show: false },
          ...(bars && { paths: uPlot.paths.bars?.({ size: [0.7, 36], radius: 0.15 }) }),
        }
      }),
    ],
    hooks: { setCursor: [(chart) => drawn.get(canvas)?.follow?.(chart)] },
  }
}

function draw(canvas) {
  // A page that was rendered without charts did not load the library. The drawing of the ingress remains.
  if (!('uPlot' in window)) return
  const plot = JSON.parse(canvas.dataset.plot)
  const shape = JSON.stringify([plot.unit, plot.series.map(({ label }) => label)])
  const known = drawn.get(canvas)
  if (known?.shape === shape) {
    known.chart.setData(dataOf(plot))
    return
  }
  known?.chart.destroy()
  canvas.replaceChildren()
  const state = { shape }
  drawn.set(canvas, state)
  state.chart = new uPlot(options(canvas, plot), dataOf(plot), canvas)
  state.follow = follow(canvas, plot)
  if (!known) {
    canvas.tabIndex = 0
    canvas.addEventListener('keydown', (event) => step(event, drawn.get(canvas).chart))
    canvas.addEventListener('blur', () => drawn.get(canvas).chart.setCursor({ left: -10, top: -10 }))
  }
  sizes.observe(canvas)
}

function redraw() {
  for (const canvas of document.querySelectorAll('[data-plot]')) {
    const known = drawn.get(canvas)
    if (known) known.shape = ''
    draw(canvas)
  }
}

const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (!target.isConnected) {
      drawn.get(target)?.chart?.destroy()
      sizes.unobserve(target)
      continue
    }
    const { clientWidth: width, clientHeight: height } = target
    drawn.get(target)?.chart?.setSize({ width, height })
  }
})

export function plot() {
  for (const canvas of document.querySelectorAll('[data-plot]')) draw(canvas)
  document.addEventListener('fresh', (event) => {
    const target = /** @type {PageElement} */ (event.target)
    for (const canvas of target.querySelectorAll('[data-plot]')) draw(canvas)
    for (const details of target.querySelectorAll('.plot-values')) list(details)
  })
  document.addEventListener(
    'toggle',
    ({ target }) => {
      const details = /** @type {PageElement} */ (target)
      if (details.classList.contains('plot-values')) list(details)
    },
    true,
  )
  dark.addEventListener('change', redraw)
  // The theme switch sets an attribute of the document.
  new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ['data-theme', 'class', 'style'] })
}
