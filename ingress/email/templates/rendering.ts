import { publicUrl } from '#lib/config.ts'
import { type Fault, unavailable } from '#lib/errors.ts'
import { TemplatesBusyError } from '#lib/liquid/render.ts'
import type { Db } from '#sql/db.ts'
import type { Template } from '#sql/email/templates.ts'
import { type Parts, type Reader, renderParts } from '#tasks/email/rules/message-parts.ts'
import { isFault, loadPartials } from '#tasks/email/rules/templates/bundle.ts'
import { renderLiquidParts } from '#tasks/email/rules/templates/liquid-parts.ts'

/** Unsubscribe URL of tests and previews. Its page does not unsubscribe anyone. */
export const trialUrl = () => `${publicUrl()}/send/v1/unsubscribe/test`

export type Shown = Pick<Template, 'org_id' | 'subject' | 'html' | 'text' | 'syntax' | 'uses'>

/** Renders a template as a message would be rendered. Throws 503 if too many templates wait. */
export async function renderTemplate(
  db: Db,
  template: Shown,
  variables: Readonly<Record<string, unknown>> | undefined,
  contact: Reader['contact'],
): Promise<Parts | { faults: Fault[] }> {
  const reader = { contact, unsubscribeUrl: trialUrl() }
  if (template.syntax === 'placeholders')
    return renderParts({ template_id: 'shown', variables }, template as Template, undefined, reader)
  const partials = await loadPartials(db, template.org_id, template.uses)
  if (isFault(partials)) return { faults: [partials] }
  try {
    return await renderLiquidParts({ variables }, template, partials, undefined, reader)
  } catch (error) {
    throw error instanceof TemplatesBusyError ? unavailable(error.message) : error
  }
}
