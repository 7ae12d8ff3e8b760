/** What a span says of itself beside its name. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** A span to be made. */
export interface SpanOptions {
  name: string
  kind: 'server' | 'producer' | 'consumer' | 'internal'
  /** The span it belongs under, as a W3C `traceparent`; without one, or with a faulty one, the current span. */
  parent?: string | undefined
  attributes?: Attributes
}

/** A span that is not over. */
export interface OpenSpan {
  /** Names it to others, as a W3C `traceparent`. */
  readonly traceparent: string
  rename(name: string): void
  set(attributes: Attributes): void
  /** Marks it as failed. */
  fail(why: string): void
}

/** Exports spans to a collector, in one trace from a request to its jobs and theirs. */
export interface Tracing {
  /** Does `work` within a span; what it throws marks the span as failed. Log lines carry the span's `trace_id`. */
  span<T>(wanted: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /** Whether there is a current span. */
  within(): boolean
  /** Sends what is left, within seconds whatever the collector does. */
  stop(): Promise<void>
}
