import { z } from 'zod'
import { Cancelled, Permanent } from '#lib/errors.ts'
import { toStorableText } from '#lib/outside-text.ts'

export const ErrorRecord = z.object({
  name: z.string(),
  message: z.string(),
  code: z.string().optional(),
  get cause() {
    return ErrorRecord.optional()
  },
})

export type ErrorRecord = z.infer<typeof ErrorRecord>

/** Returns an error in its stored form. Its strings contain only characters that Postgres accepts. */
export function toErrorRecord(error: Error): ErrorRecord {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const cause = error.cause instanceof Error ? toErrorRecord(error.cause) : undefined
  return { name: error.name, message: toStorableText(error.message), code, cause }
}

/**
 * Restores an error with its code and cause. The error gets its original class if tasks depend on the class, otherwise
 * only its name.
 */
export function fromErrorRecord({ name, message, code, cause }: ErrorRecord): Error {
  const Kind = name === 'Cancelled' ? Cancelled : name === 'Permanent' ? Permanent : Error
  const error = new Kind(message, cause && { cause: fromErrorRecord(cause) })
  return Object.assign(error, { name }, code !== undefined && { code })
}
