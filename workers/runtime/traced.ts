import type { Job } from 'graphile-worker'
import type { Tracing } from '#lib/telemetry/span.ts'
import type { AnyTask, Envelope } from '#tasks/queue/task.ts'
import type { RunningAttempt } from './attempt.ts'

export async function traceJob(
  tracer: Tracing,
  task: AnyTask,
  envelope: Envelope,
  attempt: RunningAttempt,
  job: Job,
  run: () => Promise<void>,
): Promise<void> {
  const attributes = {
    'messaging.system': 'millrace',
    'messaging.operation.type': 'process',
    'messaging.destination.name': task.pool,
    'messaging.message.id': job.id,
    'millrace.task': task.name,
    'millrace.attempt': job.attempts,
  }
  await tracer.span({ name: task.name, kind: 'consumer', parent: envelope.trace, attributes }, async (span) => {
    try {
      await run()
    } finally {
      span.set({ 'millrace.outcome': attempt.ending ?? 'none' })
    }
  })
}
