import { badRequest, type Fault } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import type { CampaignParts } from '#sql/email/campaigns.ts'
import { findFieldFault, unsubscribeField } from '#tasks/email/rules/campaigns/merge-fields.ts'
import { findUseFaults, readLiquid } from '../templates/content.ts'

type Content = { [Part in 'subject' | 'preheader' | 'html' | 'text' | 'syntax']?: CampaignParts[Part] | undefined }

/** Returns what is wrong with placeholders. A campaign can contain only those which contacts have. */
export const findPartFaults = ({ subject, preheader, html, text }: Content): Fault[] =>
  Object.entries({ subject, preheader, html, text }).flatMap(([part, said]) => {
    const kind = part === 'html' || part === 'text' ? part : 'subject'
    const issue = typeof said === 'string' ? findFieldFault(kind, said) : undefined
    return issue === undefined ? [] : [{ field: `body.${part}`, issue }]
  })

/** Returns the partials and layouts of a campaign. Throws 400 with everything that is wrong with its content. */
export async function resolveUses(db: Db, orgId: string, content: Content): Promise<{ uses: string[] }> {
  const { subject = '', preheader, html = '', text = null, syntax } = content
  if (syntax !== 'liquid') {
    const faults = findPartFaults(content)
    if (faults.length > 0) throw badRequest(faults)
    return { uses: [] }
  }
  const main = await readLiquid(orgId, { subject, html, text })
  const before = await readLiquid(orgId, { subject: preheader ?? null })
  const faults = [
    ...main.faults.map(({ part, issue }) => ({ field: `body.${part}`, issue })),
    ...before.faults.map(({ issue }) => ({ field: 'body.preheader', issue })),
    ...findUnknown([...main.variables, ...before.variables]),
  ]
  const uses = [...new Set([...main.uses, ...before.uses])]
  if (faults.length === 0)
    faults.push(...(await findUseFaults(db, { org_id: orgId, alias: null, kind: 'email' }, uses, 'body.html')))
  if (faults.length > 0) throw badRequest(faults)
  return { uses }
}

function findUnknown(names: readonly string[]): Fault[] {
  const unknown = names.find((name) => !/^(contact)([.[]|$)/.test(name) && name !== unsubscribeField)
  if (unknown === undefined) return []
  const issue = `uses the unknown variable ${unknown.slice(0, 100)}. Use contact.email, contact.name, contact.attributes.… and ${unsubscribeField}`
  return [{ field: 'body.html', issue }]
}

export const mergeContent = (before: Content, changes: Content): Content => ({
  ...before,
  ...Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)),
})
