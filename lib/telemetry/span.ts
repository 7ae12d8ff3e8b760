export type Attributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  name: string
  kind: 'server' | 'producer' | 'consumer' | 'internal'
  /** Parent span as a W3C `traceparent`. Default: the current span, which is also used if the value is invalid. */
  parent?: string | undefined
  attributes?: Attributes
}

export interface OpenSpan {
  readonly traceparent: string
  rename(name: string): void
  set(attributes: Attributes): void
  fail(why: string): void
}

/** Exports spans to a collector. A request, its jobs, and the jobs that they add are one trace. */
export interface Tracing {
  /** Runs `work` within a span. An error marks the span as failed. Log lines contain the span’s `trace_id`. */
  span<T>(wanted: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T>
  within(): boolean
  /** Sends the remaining spans. Returns within seconds, even if the collector is not responding. */
  stop(): Promise<void>
}
