import { AsyncLocalStorage } from 'node:async_hooks'
import { type Bindings, type ChildLoggerOptions, pino } from 'pino'
import { config } from './config.ts'
import { maskFields } from './mask.ts'

/** What every log line of one request or job carries. */
export interface LogContext {
  request_id?: string
  job_id?: string
  task?: string
  org_id?: string
  trace_id?: string
}

const context = new AsyncLocalStorage<LogContext>()

/** The process's logger: one JSON object a line, with the request's or job's ids on each. */
export const log = pino({
  level: config.LOG_LEVEL,
  base: { process: config.PROCESS_NAME },
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { log: maskFields },
  // A copy: pino writes each line's own fields into it.
  mixin: () => ({ ...context.getStore() }),
})

const { child } = log
// The formatter sees what a line is given, and not what a child logger was made with.
Object.assign(log, {
  child(this: unknown, bindings: Bindings, options?: ChildLoggerOptions) {
    return Reflect.apply(child, this, [maskFields(bindings), options])
  },
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
