import { MillraceError } from '../errors.ts'
import type { OutboxMetrics } from './metrics.ts'

export interface RelayOptions {
  /** URL of the API. Default: `MILLRACE_BASE_URL`. */
  baseUrl?: string | undefined
  /** API key, or a function that returns the current one. Default: `MILLRACE_API_KEY`. */
  apiKey?: string | (() => string | Promise<string>) | undefined
  /** Maximum number of concurrent requests per operation. Default: 32. */
  concurrency?: number | undefined
  /** If true, a refused row keeps the later rows of its key waiting until you retry or discard it. Default: false. */
  strict?: boolean | undefined
  /** Hours for which `millrace.sent` has accepted rows with their responses. Default: 24. With 0, none are recorded. */
  keepSentHours?: number | undefined
  /** Timeout of a request in milliseconds. Default: 60,000. */
  timeoutMs?: number | undefined
  /** Time in milliseconds after which a query without an answer fails and is repeated. Default: 30,000. */
  databaseTimeoutMs?: number | undefined
  /** If false, polls only, without `LISTEN` and prepared statements. For PgBouncer in transaction mode. Default: true. */
  session?: boolean | undefined
  /** Called every 5 seconds. */
  onMetrics?: ((metrics: OutboxMetrics) => void) | undefined
  /** Called when the relay starts or stops having a problem. Default: no log. */
  onLog?: ((line: RelayLog) => void) | undefined
}

export interface RelayLog {
  level: 'info' | 'warn' | 'error'
  message: string
}

/** Range of each number. Outside of it, a relay would run without sending rows. */
const ranges = {
  concurrency: [1, 256],
  keepSentHours: [0, 8_760],
  timeoutMs: [100, 600_000],
  databaseTimeoutMs: [100, 600_000],
} as const

/** Throws if an option is invalid, or if the pool has too few connections. */
export function checkOptions(options: RelayOptions, connections: number | undefined): void {
  for (const [name, [least, most]] of Object.entries(ranges)) {
    const given = options[name as keyof typeof ranges]
    if (given !== undefined && !(Number.isInteger(given) && given >= least && given <= most))
      throw new MillraceError(`\`${name}\` must be a whole number from ${least} to ${most}.`)
  }
  const needed = options.session === false ? 2 : 3
  if (connections !== undefined && connections < needed)
    throw new MillraceError(
      `The relay needs a pool with at least ${needed} connections, but \`max\` is ${connections}.`,
    )
}
