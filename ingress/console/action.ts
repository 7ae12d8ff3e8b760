import type { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Content } from '../http/console/html.ts'

/** The fields of an action's link and form. */
export type ActionFields = Readonly<Record<string, string>>

/** What an operator is asked before an action. */
export interface Question {
  title: string
  text: Content
  /** The word of confirmation. */
  button: string
  /** Whether it cannot be undone. */
  grave?: boolean
  /** More to fill in. */
  fields?: Content
}

/** An action that operators do with a word of confirmation. */
export interface Action {
  question(db: DatabasePool, given: ActionFields): Promise<Question>
  /** Does it; the sentence that is returned is told on the next page. */
  perform(db: DatabasePool, given: ActionFields, by: ActionContext): Promise<string>
}

/** Who acts; `stopping` aborts when this process ends. */
export interface ActionContext {
  actor: string
  /** The key that the operator signed in with. */
  operator: { id: string; name: string }
  stopping: AbortSignal
}

/** The fields as `schema` wants them; throws 400 that names every bad one. */
export function read<S extends z.ZodType>(schema: S, given: ActionFields): z.output<S> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw badRequest(parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), issue: message })))
}
