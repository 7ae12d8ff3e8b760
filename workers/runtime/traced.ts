import { tracing } from '#lib/telemetry/tracing.ts'
import type { JobRun } from './job-run.ts'

/** Does the work of a job in a span, if tracing is on. */
export function traceJob(run: JobRun, work: () => Promise<void>): Promise<void> {
  const tracer = tracing()
  if (!tracer) return work()
  const { task, job, envelope } = run
  const attributes = {
    'messaging.system': 'millrace',
    'messaging.operation.type': 'process',
    'messaging.destination.name': task.pool,
    'messaging.message.id': job.id,
    'millrace.task': task.name,
    'millrace.attempt': job.attempts,
  }
  return tracer.span({ name: task.name, kind: 'consumer', parent: envelope.trace, attributes }, async (span) => {
    try {
      await work()
    } finally {
      span.set({ 'millrace.outcome': run.ending ?? 'none' })
    }
  })
}
