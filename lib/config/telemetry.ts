import { z } from 'zod'
import { pairs, port, text } from './values.ts'

/** Metrics and traces of every process. */
export const telemetry = {
  METRICS_PORT: port
    .default(0)
    .describe('port of this process for /metrics and /healthz, on HOST; 0 is off (`npm start` picks free ones)'),
  METRICS_TOKEN: z.string().min(16).optional().describe('scrapes must carry it as `Authorization: Bearer`'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional().describe('OTLP/HTTP collector; unset, nothing is traced'),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.optional().describe('headers for it: `name=value,…`'),
  OTEL_SERVICE_NAME: text.default('millrace').describe('service name in traces'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1).describe('share of new traces that are kept'),
}
