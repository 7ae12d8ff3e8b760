import type { Problem } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/whatsapp/templates.ts'
import { wrongParameters } from './refusals.ts'
import { freshMs } from './template-copy.ts'
import type { TemplateForm } from './template-form.ts'
import { misfitOf } from './template-variables.ts'

/** Refuses parameters that do not fit the template as it was within the last minutes; what is not known, WhatsApp checks. */
export async function checkTemplate(
  tx: Db,
  { accountId, template, field }: { accountId: string | undefined; template: TemplateForm | undefined; field: string },
): Promise<Problem | undefined> {
  if (accountId === undefined || template === undefined) return undefined
  const age = await rows.age(tx, accountId)
  if (age === null || age > freshMs) return undefined
  const known = await rows.find(tx, accountId, template.name, template.language.code)
  const misfit = known && misfitOf(known, template)
  if (!misfit) return undefined
  return wrongParameters(wrongParameters.when, [{ field: `${field}.components`, issue: misfit }])
}
