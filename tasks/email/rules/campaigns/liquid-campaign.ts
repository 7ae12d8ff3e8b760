import type { Fault } from '#lib/errors.ts'
import { renderLiquid } from '#lib/liquid/render.ts'
import type { Part } from '#lib/placeholders.ts'
import type { Content } from '#sql/email/contents.ts'
import type { Partials } from '../templates/bundle.ts'
import { type MergeFields, type Person, unsubscribeField } from './merge-fields.ts'

type Sources = Partial<Record<Part, string | null>>

/** Returns the value that a message of a Liquid campaign stores about its contact. */
export const toLiquidFields = ({ email, name, attributes }: Person): MergeFields => ({
  contact: JSON.stringify({ email, name, attributes }),
})

const personOf = ({ contact = '{}' }: MergeFields): unknown => JSON.parse(contact)

/** Renders parts of a campaign for a contact. Missing values are empty, because contacts have different attributes. */
export async function renderCampaignParts(
  orgId: string,
  sources: Sources,
  partials: Partials,
  fields: MergeFields,
  unsubscribeUrl: string,
): Promise<{ parts: Record<Part, string | null> } | { faults: Fault[] }> {
  const globals = { contact: personOf(fields), [unsubscribeField]: unsubscribeUrl }
  const made = await renderLiquid(orgId, { sources, partials, variables: {}, globals, lenient: true })
  return made.faults.length > 0 ? { faults: made.faults } : { parts: made.parts }
}

/** Returns the personal content of a message of a Liquid campaign. Throws with the reason if it cannot be rendered. */
export async function renderPersonal<C extends Pick<Content, 'html' | 'text' | 'partials'>>(
  orgId: string,
  content: C,
  fields: MergeFields,
  unsubscribeUrl: string,
): Promise<C | { faults: Fault[] }> {
  const { html, text, partials } = content
  const made = await renderCampaignParts(orgId, { html, text }, partials ?? {}, fields, unsubscribeUrl)
  return 'faults' in made ? made : { ...content, html: made.parts.html, text: made.parts.text }
}

export const toReason = (faults: readonly Fault[]): string =>
  faults.map(({ issue }) => issue.replace(/^cannot be rendered: /, '')).join('; ')
