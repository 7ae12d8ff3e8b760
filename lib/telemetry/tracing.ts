import { config } from '../config.ts'
import type { Tracing } from './span.ts'

let started: Tracing | undefined

export const tracing = (): Tracing | undefined => started

/** Starts tracing if a collector is configured. Otherwise loads no tracing code. */
export async function startTracing(): Promise<void> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = config
  if (!endpoint || started) return
  const { openTracing } = await import('./open-telemetry.ts')
  started = openTracing({
    endpoint,
    headers: headers ?? {},
    service: config.OTEL_SERVICE_NAME,
    process: config.PROCESS_NAME,
    share: config.OTEL_TRACES_SAMPLER_ARG,
  })
}
