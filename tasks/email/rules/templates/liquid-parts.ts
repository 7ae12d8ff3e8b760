import type { Fault } from '#lib/errors.ts'
import { renderLiquid } from '#lib/liquid/render.ts'
import type { Template } from '#sql/email/templates.ts'
import {
  longParts,
  type MessageInput,
  missingLinks,
  type Parts,
  type Reader,
  withFilledLinks,
} from '../message-parts.ts'
import type { Partials } from './bundle.ts'

/** Maximum size of the variables of a Liquid template as JSON in characters, and their maximum depth. */
const [mostVariables, deepest] = [512 * 1024, 20]

/**
 * Returns the parts of a message with a Liquid template: the given parts, otherwise the rendered parts of the template.
 * With `confirmUrl`, every part must contain a link to it.
 */
export async function renderLiquidParts(
  given: MessageInput,
  template: Pick<Template, 'org_id' | 'subject' | 'html' | 'text'>,
  partials: Partials,
  confirmUrl: string | undefined,
  { contact, unsubscribeUrl }: Reader,
): Promise<Parts | { faults: Fault[] }> {
  const { variables = {} } = given
  const faults = findGivenFaults(given, confirmUrl, unsubscribeUrl)
  if (faults.length > 0) return { faults }
  const { subject, html, text } = template
  const wanted = {
    ...(given.subject === undefined && { subject }),
    ...(given.html === undefined && { html }),
    ...(given.text === undefined && text !== null && { text }),
  }
  const globals = {
    contact,
    ...(unsubscribeUrl !== undefined && { unsubscribe_url: unsubscribeUrl }),
    ...(confirmUrl !== undefined && { confirm_url: confirmUrl }),
  }
  const made = await renderLiquid(template.org_id, { sources: wanted, partials, variables, globals })
  if (made.faults.length > 0) return { faults: made.faults }
  const own = withFilledLinks(given, confirmUrl, unsubscribeUrl)
  const parts = {
    subject: given.subject ?? made.parts.subject ?? '',
    html: own.html ?? made.parts.html,
    text: own.text ?? made.parts.text,
  }
  if (parts.subject === '' && template.subject !== '')
    return { faults: [{ field: 'body.template_id', issue: 'cannot be rendered: the subject is empty' }] }
  const unlinked = confirmUrl === undefined ? [] : findUnlinked(given, made.parts, confirmUrl)
  return unlinked.length > 0 ? { faults: unlinked } : parts
}

function findGivenFaults(
  given: MessageInput,
  confirmUrl: string | undefined,
  unsubscribeUrl: string | undefined,
): Fault[] {
  const { variables = {} } = given
  const faults = [...findVariableFaults(variables), ...longParts(given, confirmUrl, unsubscribeUrl)]
  if (confirmUrl === undefined) return faults
  const own = Object.hasOwn(variables, 'confirm_url')
    ? [{ field: 'body.variables.confirm_url', issue: 'is filled in by Millrace and cannot be set' }]
    : []
  return [...faults, ...missingLinks(given, undefined), ...own]
}

/** A recipient may see only one part, so every part needs the link. */
const findUnlinked = (given: MessageInput, made: Pick<Parts, 'html' | 'text'>, confirmUrl: string): Fault[] =>
  (['html', 'text'] as const).flatMap((part) => {
    const said = made[part]
    if (given[part] !== undefined || said === null || said === undefined || said.includes(confirmUrl)) return []
    const issue = `${part} must have a link to {{ confirm_url }} on the \`repermission\` stream, so that the recipient can confirm`
    return [{ field: 'body.template_id', issue }]
  })

export function findVariableFaults(variables: object): Fault[] {
  const field = 'body.variables'
  if (isDeeper(variables, deepest)) return [{ field, issue: `must have at most ${deepest} levels` }]
  const { length } = JSON.stringify(variables)
  return length > mostVariables
    ? [{ field, issue: `must have at most ${mostVariables} characters as JSON, but has ${length}` }]
    : []
}

/** True if a value has more levels. Does not descend further than these levels. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1))
}
