import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Context,
  context,
  diag,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { log, withLogContext } from '../log.ts'
import type { OpenSpan, Tracing } from './span.ts'

export interface TracingOptions {
  endpoint: string
  headers: Record<string, string>
  service: string
  process: string
  /**
   * Share of new traces that are recorded, 0 to 1. For traces that started in another service, the decision of that
   * service applies.
   */
  share: number
}

const kinds = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

const exportMs = 5_000
const stopMs = 3_000

/** Starts sending spans to a collector in batches. If the collector is unavailable, only spans are lost. */
export function openTracing({ endpoint, headers, service, process: role, share }: TracingOptions): Tracing {
  const quietly = (message: string) => log.debug({ message }, 'tracing')
  diag.setLogger({ error: quietly, warn: quietly, info: () => {}, debug: () => {}, verbose: () => {} })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`,
    headers,
    timeoutMillis: exportMs,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.instance.id': `${hostname()}:${process.pid}`,
      'host.name': hostname(),
      'process.pid': process.pid,
      'millrace.process': role,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000, exportTimeoutMillis: exportMs })],
  })
  const tracer = provider.getTracer('millrace')

  return {
    async span(wanted, work) {
      const parent = contextOf(wanted.parent) ?? context.active()
      const options = { kind: kinds[wanted.kind], attributes: wanted.attributes ?? {} }
      const span = tracer.startSpan(wanted.name, options, parent)
      const within = trace.setSpan(parent, span)
      try {
        return await withLogContext({ trace_id: span.spanContext().traceId }, () =>
          context.with(within, () => work(openSpan(span))),
        )
      } catch (error) {
        span.recordException(error as Error)
        span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message })
        throw error
      } finally {
        span.end()
      }
    },
    within: () => trace.getSpan(context.active()) !== undefined,
    async stop() {
      await Promise.race([provider.shutdown().catch((error: Error) => quietly(error.message)), pause(stopMs)])
    },
  }
}

function openSpan(span: Span): OpenSpan {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(attributes),
    fail: (message) => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
  }
}

function contextOf(traceparent: string | undefined): Context | undefined {
  const [, version, traceId = '', spanId = '', flags = '00'] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(traceparent ?? '') ?? []
  const named = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  if (version === undefined || version === 'ff' || !isSpanContextValid(named)) return undefined
  return trace.setSpanContext(ROOT_CONTEXT, named)
}
