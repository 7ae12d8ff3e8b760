import { AsyncLocalStorage } from 'node:async_hooks'
import { pino } from 'pino'
import { config } from './config.ts'
import { mask, secretFields } from './mask.ts'

/** What every log line of one request or job carries. */
export interface LogContext {
  request_id?: string
  job_id?: string
  task?: string
  org_id?: string
}

const context = new AsyncLocalStorage<LogContext>()

/** The process's logger: one JSON object a line, with the request's or job's ids on each. */
export const log = pino({
  level: config.LOG_LEVEL,
  base: { process: config.PROCESS_NAME },
  timestamp: pino.stdTimeFunctions.isoTime,
  redact: { paths: secretFields.flatMap((s) => [`["${s}"]`, `*["${s}"]`, `*.*["${s}"]`]), censor: mask },
  // A copy: pino writes each line's own fields into it.
  mixin: () => ({ ...context.getStore() }),
})

/** Runs `work` so that each line logged within it, however deep, carries `fields`. */
export function withLogContext<T>(fields: LogContext, work: () => T): T {
  const outer = context.getStore()
  return context.run(outer ? { ...outer, ...fields } : fields, work)
}

/** The ids of the request or job that is being served now. */
export function logContext(): LogContext {
  return context.getStore() ?? {}
}
