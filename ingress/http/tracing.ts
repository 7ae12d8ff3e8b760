import type { Context, Next } from 'koa'
import { tracing } from '#lib/telemetry/tracing.ts'
import type { Operation } from './area.ts'

/** Runs a request within a span that has the operation’s name. If the client sent a span, it is the parent. */
export async function traceRequest(ctx: Context, next: Next): Promise<void> {
  const tracer = tracing()
  if (!tracer) return await next()
  const parent = ctx.get('traceparent')
  const attributes = { 'http.request.method': ctx.method, 'millrace.request_id': ctx.state.requestId }
  await tracer.span({ name: ctx.method, kind: 'server', parent, attributes }, async (span) => {
    ctx.state.traceparent = span.traceparent
    await next()
    const operation: Operation | undefined = ctx.state.operation
    if (operation) span.rename(operation.id)
    if (operation) span.set({ 'http.route': operation.path })
    span.set({ 'http.response.status_code': ctx.status })
    if (ctx.status >= 500) span.fail(`responded with ${ctx.status}`)
  })
}
