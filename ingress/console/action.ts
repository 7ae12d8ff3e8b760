import type { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Content } from '../http/html/html.ts'

export type ActionFields = Readonly<Record<string, string>>

export interface Question {
  title: string
  text: Content
  button: string
  /** True if the action cannot be undone. */
  grave?: boolean
  fields?: Content
}

export interface Action {
  question(db: DatabasePool, given: ActionFields): Promise<Question>
  /** Performs the action. Returns the message for the next page. */
  perform(db: DatabasePool, given: ActionFields, by: ActionContext): Promise<string>
}

export interface ActionContext {
  actor: string
  operator: { id: string; name: string }
  stopping: AbortSignal
}

export function read<S extends z.ZodType>(schema: S, given: ActionFields): z.output<S> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw badRequest(parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), issue: message })))
}
