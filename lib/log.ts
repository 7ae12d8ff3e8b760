import { AsyncLocalStorage } from 'node:async_hooks'
import { type Bindings, type ChildLoggerOptions, pino } from 'pino'
import { config } from './config.ts'
import { maskFields } from './mask.ts'

export interface LogContext {
  request_id?: string
  job_id?: string
  task?: string
  org_id?: string
  trace_id?: string
}

const context = new AsyncLocalStorage<LogContext>()

export const log = pino({
  level: config.LOG_LEVEL,
  base: { process: config.PROCESS_NAME },
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { log: maskFields },
  // The context is copied, because pino writes the fields of each line into this object.
  mixin: () => ({ ...context.getStore() }),
})

const { child } = log
// The formatter receives only the fields of a line, so the fields of a child logger are masked here.
Object.assign(log, {
  child(this: unknown, bindings: Bindings, options?: ChildLoggerOptions) {
    return Reflect.apply(child, this, [maskFields(bindings), options])
  },
})

/** Runs `work`. Every log line that `work` writes contains `fields`, even in nested calls. */
export function withLogContext<T>(fields: LogContext, work: () => T): T {
  const outer = context.getStore()
  return context.run(outer ? { ...outer, ...fields } : fields, work)
}

export function logContext(): LogContext {
  return context.getStore() ?? {}
}
