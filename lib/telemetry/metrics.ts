/**
 * What this process measures of itself, in Prometheus' terms. Names begin with `millrace_`, units are seconds and bytes,
 * counters end with `_total`; labels hold names that the code declares, never what a client sent.
 */

import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import { describe } from '../errors.ts'
import { log } from '../log.ts'

const registry = new Registry()
// Looks at the event loop's lag every 50 ms: at the usual 10 ms a process that has nothing to do takes 1 % of a core.
collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 })
// Gauges whose names promise counters; the same without `_total` are there, too.
for (const kind of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${kind}_total`)

/** The values of a metric's labels. */
export type Labels = Readonly<Record<string, string>>

/** A value that a metric has now. */
export interface Reading {
  labels: Labels
  value: number
}

type ReadFunction = () => readonly Reading[] | Promise<readonly Reading[]>

/** A metric that is read when it is asked for. */
export interface ObservableMetric {
  /** Has `read` asked at each scrape; returns how to stop. Several may watch, each for labels of its own. */
  watch(read: ReadFunction): () => void
}

/** Milliseconds that a scrape waits for a reading: a database that is away must not hide all else. */
const readMs = 2_000

/** Declares a gauge whose values are read at each scrape; a reading that fails or takes long is left out. */
export const watchedGauge = (name: string, help: string, labelNames: string[]): ObservableMetric =>
  watched(name, labelNames, (collect) => new Gauge({ name, help, labelNames, registers: [registry], collect }))

/** The same for a counter that is counted elsewhere and never falls while the process lives. */
export const watchedCounter = (name: string, help: string, labelNames: string[]): ObservableMetric =>
  watched(name, labelNames, (collect) => new Counter({ name, help, labelNames, registers: [registry], collect }))

function watched(
  name: string,
  labelNames: readonly string[],
  declare: (collect: () => Promise<void>) => Gauge | Counter,
): ObservableMetric {
  const readers = new Set<ReadFunction>()
  const metric = declare(async () => {
    const readings = await readAll(name, readers)
    metric.reset()
    // Without labels the library shows 0 where there is nothing, which an alert takes for a reading.
    if (labelNames.length === 0) metric.remove()
    for (const { labels, value } of readings) metric.inc(labels, value)
  })
  return {
    watch(read) {
      readers.add(read)
      return () => readers.delete(read)
    },
  }
}

const readAll = async (name: string, readers: ReadonlySet<ReadFunction>): Promise<Reading[]> =>
  (await Promise.all([...readers].map((read) => readInTime(name, read)))).flat()

async function readInTime(name: string, read: ReadFunction): Promise<readonly Reading[]> {
  const late = Promise.withResolvers<readonly Reading[]>()
  const timer = setTimeout(() => late.reject(new Error(`no reading within ${readMs} ms`)), readMs)
  try {
    return await Promise.race([read(), late.promise])
  } catch (error) {
    log.debug({ metric: name, err: describe(error) }, 'a metric could not be read')
    return []
  } finally {
    clearTimeout(timer)
  }
}

/** Declares a counter of things that are rare enough to look its labels up each time. */
export const counter = <Name extends string>(name: string, help: string, labelNames: Name[]): Counter<Name> =>
  new Counter({ name, help, labelNames, registers: [registry] })

/** One set of labels of a histogram. */
export interface Observer {
  observe(value: number): void
  readonly count: number
}

/** A histogram whose sets of labels are bound once. */
export interface Histogram {
  with(labels: Labels): Observer
}

/**
 * Declares a histogram. prom-client's own makes a text of the labels for each value (0.5 us), which a path that runs 30,000
 * times a second cannot pay: here a value costs a comparison and two additions.
 */
export function histogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const children = new Map<string, { labels: Labels; observer: BoundHistogram }>()
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...children.values()].flatMap(({ labels, observer }) => observer.values(name, labels)),
  })
  registry.registerMetric({ name, help, type: 'histogram', get } as unknown as Metric)
  return {
    with(labels) {
      const key = JSON.stringify(labels)
      const known = children.get(key)
      if (known) return known.observer
      const observer = new BoundHistogram(bounds)
      children.set(key, { labels, observer })
      return observer
    },
  }
}

class BoundHistogram implements Observer {
  readonly #bounds: readonly number[]
  readonly #counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    let i = 0
    while (i < this.#bounds.length && value > (this.#bounds[i] as number)) i++
    this.#counts[i] = (this.#counts[i] as number) + 1
    this.#sum += value
  }

  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  values(name: string, labels: Labels): { metricName: string; labels: Labels; value: number }[] {
    let below = 0
    const buckets = [...this.#bounds, '+Inf'].map((bound, i) => {
      below += this.#counts[i] as number
      return { metricName: `${name}_bucket`, labels: { ...labels, le: String(bound) }, value: below }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: below },
    ]
  }
}

/** The types of the two text formats. */
export const contentTypes = {
  prometheus: Registry.PROMETHEUS_CONTENT_TYPE,
  openMetrics: Registry.OPENMETRICS_CONTENT_TYPE,
} as const

/** All that is measured, as text. */
export async function exposition(format: keyof typeof contentTypes): Promise<string> {
  const text = await registry.metrics()
  return format === 'prometheus' ? text : openMetrics(text)
}

/** The same in OpenMetrics, where a counter's family lacks `_total` and nothing is empty (prom-client would rename its counters for good). */
function openMetrics(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '')
  const renamed = lines.map((line) => line.replace(/^# (HELP|TYPE) (\S+)_total /, '# $1 $2 '))
  return `${renamed.join('\n')}\n# EOF\n`
}
