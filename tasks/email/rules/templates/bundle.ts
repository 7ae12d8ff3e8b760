import type { Fault } from '#lib/errors.ts'
import type { Sources } from '#lib/liquid/thread.ts'
import type { Db } from '#sql/db.ts'
import * as templates from '#sql/email/templates.ts'

/** Content of partials and layouts by alias. */
export type Partials = Readonly<Record<string, Sources>>

/**
 * Loads the partials and layouts of a template. Returns a fault if there are too many. Missing ones are faults of the
 * rendering, because a template can have them in a branch that is not used.
 */
export async function loadPartials(db: Db, orgId: string, uses: readonly string[]): Promise<Partials | Fault> {
  const found = await templates.listPartials(db, orgId, uses)
  if (found.length > templates.mostPartials)
    return {
      field: 'body.template_id',
      issue: `cannot use more than ${templates.mostPartials} partials and layouts, together with theirs`,
    }
  const named: Record<string, Sources> = Object.create(null)
  for (const { alias, html, text } of found) if (alias !== null) named[alias] = { html, text, subject: text ?? html }
  return named
}

export const isFault = (given: Partials | Fault): given is Fault => typeof given.issue === 'string'
