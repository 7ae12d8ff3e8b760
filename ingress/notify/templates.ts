import { badRequest } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as templates from '#sql/email/templates.ts'
import { isTemplateId } from '#tasks/email/rules/templates/names.ts'

/** Throws 400 if a template does not exist or has another kind. It is checked again when an email is sent. */
export async function demandTemplate(
  db: Db,
  orgId: string,
  name: string | null | undefined,
  kind: templates.Template['kind'],
  field: string,
): Promise<void> {
  if (name === null || name === undefined) return
  const found = isTemplateId(name)
    ? await templates.find(db, orgId, name)
    : await templates.findByAlias(db, orgId, name)
  if (found?.kind === kind) return
  const issue = found
    ? `must be a template of the kind \`${kind}\`, but is a ${found.kind}`
    : `must be the ID or the alias of one of your templates of the kind \`${kind}\``
  throw badRequest([{ field, issue }])
}
