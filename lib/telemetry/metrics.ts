/**
 * Metrics of this process in Prometheus format. Names start with `millrace_`, units are seconds and bytes, and counters
 * end with `_total`. Label values come only from the code, never from clients.
 */

import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import { describe } from '../errors.ts'
import { log } from '../log.ts'

const registry = new Registry()
// Samples the event-loop lag every 50 ms. At the default of 10 ms, an idle process uses 1 % of a core.
collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 })
// These gauges have names of counters. The library also exports the same values without `_total`.
for (const kind of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${kind}_total`)

export type Labels = Readonly<Record<string, string>>

export interface Reading {
  labels: Labels
  value: number
}

type ReadFunction = () => readonly Reading[] | Promise<readonly Reading[]>

export interface ObservableMetric {
  /**
   * Calls `read` at each scrape. Returns a function that stops this. A metric can have several readers, each with
   * different labels.
   */
  watch(read: ReadFunction): () => void
}

/**
 * Timeout of a reading in milliseconds. The timeout prevents an unavailable database from blocking the other metrics.
 */
const readMs = 2_000

/** Declares a gauge that is read at each scrape. A reading that fails or is too slow is omitted. */
export const watchedGauge = (name: string, help: string, labelNames: string[]): ObservableMetric =>
  watched(name, labelNames, (collect) => new Gauge({ name, help, labelNames, registers: [registry], collect }))

/** Declares a counter whose value is read at each scrape. The value does not decrease while the process runs. */
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
    // For a metric without labels, the library reports 0 if there is no value. Alerts would treat 0 as a reading.
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

export const counter = <Name extends string>(name: string, help: string, labelNames: Name[]): Counter<Name> =>
  new Counter({ name, help, labelNames, registers: [registry] })

export interface DeclaredMetric {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  labels: readonly string[]
}

/** Returns the metrics of Millrace that the loaded modules declare. Histograms have no list of labels. */
export const declaredMetrics = (): DeclaredMetric[] =>
  registry.getMetricsAsArray().flatMap((metric) => {
    const { name, help, labelNames = [] } = metric as unknown as { name: string; help: string; labelNames?: string[] }
    if (!name.startsWith('millrace_')) return []
    const type = metric instanceof Counter ? 'counter' : metric instanceof Gauge ? 'gauge' : 'histogram'
    return [{ name, help, type, labels: labelNames }]
  })

export interface Observer {
  observe(value: number): void
  readonly count: number
}

export interface Histogram {
  with(labels: Labels): Observer
}

/**
 * Declares a histogram. prom-client’s histogram converts the labels to a string for each value, which takes 0.5 us.
 * This is too slow for code that runs 30,000 times per second. In this implementation, a value costs a comparison and
 * two additions.
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

export const contentTypes = {
  prometheus: Registry.PROMETHEUS_CONTENT_TYPE,
  openMetrics: Registry.OPENMETRICS_CONTENT_TYPE,
} as const

export async function renderMetrics(format: keyof typeof contentTypes): Promise<string> {
  const text = await registry.metrics()
  return format === 'prometheus' ? text : openMetrics(text)
}

/**
 * Converts the metrics to OpenMetrics, where the family name of a counter has no `_total` and there are no empty lines.
 * prom-client cannot do this without renaming its counters permanently.
 */
function openMetrics(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '')
  const renamed = lines.map((line) => line.replace(/^# (HELP|TYPE) (\S+)_total /, '# $1 $2 '))
  return `${renamed.join('\n')}\n# EOF\n`
}
