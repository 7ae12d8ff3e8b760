import { z } from 'zod'
import { pairs, port, text } from './values.ts'

export const telemetry = {
  METRICS_PORT: port
    .default(0)
    .describe(
      'Port of this process for /metrics and /healthz, on HOST. 0 disables it. `npm start` selects free ports.',
    ),
  METRICS_TOKEN: z.string().min(16).optional().describe('Token that scrapers must send as `Authorization: Bearer`'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional().describe('OTLP/HTTP collector. Default: no traces.'),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.optional().describe('Headers for the collector: `name=value`, separated by commas'),
  OTEL_SERVICE_NAME: text.default('millrace').describe('Service name in traces'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of new traces that are kept, from 0 to 1'),
}
