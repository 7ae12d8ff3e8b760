/** State of a relay, for monitoring. */
export interface OutboxMetrics {
  /** Accepted rows since the start, by operation. */
  accepted: Record<string, number>
  /** Refused rows since the start, by operation. */
  refused: Record<string, number>
  /** Attempts since the start that will be repeated, by operation. */
  retried: Record<string, number>
  /** Rows that this relay has claimed. */
  inFlight: number
  /** Rows of the outbox: due, scheduled, and failed. */
  waiting: number
  scheduled: number
  failed: number
  /** Age of the oldest due row in seconds. */
  lagSeconds: number
  /** Reason why no row is sent. Undefined if there is none. */
  problem: string | undefined
  /** Seconds from `enqueue` to the acceptance. `counts` has the number of rows up to each limit. */
  latency: { limits: readonly number[]; counts: number[]; sum: number; count: number }
}

const limits = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600]

/** Counts what a relay does. */
export class Counters {
  readonly accepted: Record<string, number> = {}
  readonly refused: Record<string, number> = {}
  readonly retried: Record<string, number> = {}
  readonly latency = { limits, counts: limits.map(() => 0), sum: 0, count: 0 }

  accept(operation: string, seconds: number): void {
    add(this.accepted, operation)
    this.latency.sum += seconds
    this.latency.count++
    for (const [i, limit] of limits.entries()) {
      if (seconds <= limit) this.latency.counts[i] = (this.latency.counts[i] ?? 0) + 1
    }
  }

  refuse(operation: string): void {
    add(this.refused, operation)
  }

  retry(operation: string): void {
    add(this.retried, operation)
  }
}

function add(counts: Record<string, number>, operation: string): void {
  counts[operation] = (counts[operation] ?? 0) + 1
}

/** Returns the metrics in the text format of Prometheus. */
export function renderMetrics(metrics: OutboxMetrics): string {
  const { latency, problem } = metrics
  return [
    counter('accepted', 'Rows that Millrace has accepted.', metrics.accepted),
    counter('refused', 'Rows that Millrace has refused.', metrics.refused),
    counter('retried', 'Attempts that will be repeated.', metrics.retried),
    gauge('in_flight', 'Rows that this relay has claimed.', metrics.inFlight),
    gauge('waiting', 'Due rows in the outbox.', metrics.waiting),
    gauge('scheduled', 'Rows in the outbox whose time has not come.', metrics.scheduled),
    gauge('failed', 'Refused rows in the outbox.', metrics.failed),
    gauge('lag_seconds', 'Age of the oldest due row.', metrics.lagSeconds),
    gauge('up', '1 if the relay can send rows.', problem === undefined ? 1 : 0),
    histogram(latency),
  ].join('')
}

const head = (name: string, help: string, type: string) =>
  `# HELP millrace_outbox_${name} ${help}\n# TYPE millrace_outbox_${name} ${type}\n`

const gauge = (name: string, help: string, value: number) =>
  `${head(name, help, 'gauge')}millrace_outbox_${name} ${value}\n`

function counter(name: string, help: string, counts: Record<string, number>): string {
  const lines = Object.entries(counts).map(
    ([operation, count]) => `millrace_outbox_${name}_total{operation="${operation}"} ${count}\n`,
  )
  return head(`${name}_total`, help, 'counter') + lines.join('')
}

function histogram({ limits, counts, sum, count }: OutboxMetrics['latency']): string {
  const name = 'millrace_outbox_latency_seconds'
  const buckets = limits.map((limit, i) => `${name}_bucket{le="${limit}"} ${counts[i]}\n`)
  const rest = `${name}_bucket{le="+Inf"} ${count}\n${name}_sum ${sum}\n${name}_count ${count}\n`
  return head('latency_seconds', 'Time from `enqueue` to the acceptance.', 'histogram') + buckets.join('') + rest
}
