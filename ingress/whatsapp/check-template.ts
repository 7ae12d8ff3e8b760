import type { Problem } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/whatsapp/templates.ts'
import { templateDisabled, templateNotApproved, templatePaused, wrongParameters } from './refusals.ts'
import { freshMs } from './template-copy.ts'
import type { TemplateForm } from './template-form.ts'
import { findParameterMismatch } from './template-variables.ts'

/**
 * Rejects parameters that do not match the template in the local copy. If a template is not in the copy, WhatsApp
 * checks it.
 */
export async function checkTemplate(
  tx: Db,
  { accountId, template, field }: { accountId: string | undefined; template: TemplateForm | undefined; field: string },
): Promise<Problem | undefined> {
  if (accountId === undefined || template === undefined) return undefined
  const age = await rows.getCopyAge(tx, accountId)
  const known = await rows.find(tx, accountId, template.name, template.language.code)
  const isFresh = age !== null && age <= freshMs
  if (!known || !(isFresh || Date.now() - known.noted_at.getTime() <= freshMs)) return undefined
  if (known.status !== 'APPROVED') return notApproved(known, field)
  const misfit = findParameterMismatch(known, template)
  if (!misfit) return undefined
  return wrongParameters(wrongParameters.when, [{ field: `${field}.components`, issue: misfit }])
}

/** Returns the error for a template's status. It is the same as Meta's error, if Meta has one. */
function notApproved({ status, reason }: rows.Template, field: string): Problem {
  const refusal = status === 'PAUSED' ? templatePaused : status === 'DISABLED' ? templateDisabled : templateNotApproved
  return refusal(refusal.when, [{ field, issue: `must have the status APPROVED, but is ${status}`, status, reason }])
}
