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
