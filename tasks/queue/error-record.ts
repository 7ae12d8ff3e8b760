import { z } from 'zod'
import { Cancelled, Permanent } from '#lib/errors.ts'
import { outsideText } from '#lib/outside-text.ts'

/** An error as a job carries it, to notify a task later that could not be at once. */
export const ErrorRecord = z.object({
  name: z.string(),
  message: z.string(),
  /** Why, for machines, of an error that says so. */
  code: z.string().optional(),
  get cause() {
    return ErrorRecord.optional()
  },
})

/** An error as a job carries it. */
export type ErrorRecord = z.infer<typeof ErrorRecord>

/** What a job carries of an error; its text as Postgres takes it. */
export function recordOf(error: Error): ErrorRecord {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const cause = error.cause instanceof Error ? recordOf(error.cause) : undefined
  return { name: error.name, message: outsideText(error.message), code, cause }
}

/** The error again: one of its class where tasks ask for that, else of its name; with its code and its cause. */
export function errorOf({ name, message, code, cause }: ErrorRecord): Error {
  const Kind = name === 'Cancelled' ? Cancelled : name === 'Permanent' ? Permanent : Error
  const error = new Kind(message, cause && { cause: errorOf(cause) })
  return Object.assign(error, { name }, code !== undefined && { code })
}
