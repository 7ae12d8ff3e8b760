import type { Fault } from '#lib/errors.ts'
import { placeholdersOf, render } from '#lib/placeholders.ts'
import type { Template } from '#sql/email/templates.ts'
import { faultOfLength, fillIn, hasConfirmLink } from './reconfirm-text.ts'

/** What is given of a message, beside its template or without one. */
export interface MessageInput {
  subject?: string | undefined
  html?: string | undefined
  text?: string | undefined
  templateId?: string | undefined
  variables?: Readonly<Record<string, unknown>> | undefined
}

export interface Parts {
  subject: string
  html: string | null
  text: string | null
}

/**
 * What a message says: as it is given, and what is not as its template says it. With `confirmUrl`, the page on which its recipient
 * confirms, every part must have a link to that.
 */
export function partsOf(
  given: MessageInput,
  template: Template | undefined,
  confirmUrl: string | undefined,
): Parts | { faults: Fault[] } {
  const { templateId, subject, variables = {} } = given
  if (templateId !== undefined && !template) {
    return { faults: [{ field: 'body.template_id', issue: 'is no template of yours' }] }
  }
  const faults = confirmUrl === undefined ? [] : missingLinks(given, template)
  const long = confirmUrl === undefined ? [] : longParts(given, confirmUrl)
  if (long.length > 0) return { faults: [...faults, ...long] }
  const { html, text } = confirmUrl === undefined ? given : fillIn({ html: given.html, text: given.text }, confirmUrl)
  const parts = template
    ? rendered({ subject, html, text, variables }, template, confirmUrl, faults)
    : { subject: subject ?? '', html: html ?? null, text: text ?? null }
  return faults.length > 0 ? { faults } : parts
}

function rendered(
  { subject, html, text, variables = {} }: MessageInput,
  template: Template,
  confirmUrl: string | undefined,
  faults: Fault[],
): Parts {
  faults.push(...strangers(variables, template, confirmUrl))
  const all = confirmUrl === undefined ? variables : { ...variables, confirm_url: confirmUrl }
  return {
    subject: subject ?? render('subject', template.subject, all, faults),
    html: html ?? render('html', template.html, all, faults),
    text: text ?? (template.text === null ? null : render('text', template.text, all, faults)),
  }
}

/** Variables that the template does not name, or that are not the caller's to say. */
function strangers(variables: object, template: Template, confirmUrl: string | undefined): Fault[] {
  const names = new Set(
    placeholdersOf(template.subject, template.html, template.text).map((name) => name.split('.')[0]),
  )
  return Object.keys(variables).flatMap((name) => {
    const field = `body.variables.${name}`
    if (name === 'confirm_url' && confirmUrl !== undefined) return [{ field, issue: 'is filled in for you' }]
    return names.has(name) ? [] : [{ field, issue: 'is named by no placeholder of the template' }]
  })
}

/** Parts that are too long with the link in them. */
const longParts = (given: MessageInput, confirmUrl: string): Fault[] =>
  (['html', 'text'] as const).flatMap((part) => {
    const issue = faultOfLength(given[part] ?? '', confirmUrl)
    return issue === undefined ? [] : [{ field: `body.${part}`, issue }]
  })

/** Parts without the link: whoever reads only the one must be able to confirm, too. */
function missingLinks(given: MessageInput, template: Template | undefined): Fault[] {
  return (['html', 'text'] as const).flatMap((part) => {
    const said = given[part] ?? template?.[part]
    if (said === undefined || said === null || hasConfirmLink(said)) return []
    const issue = 'must have a link to {{confirm_url}}, where the recipient confirms, on the stream repermission'
    return [
      given[part] === undefined
        ? { field: 'body.template_id', issue: `${part} ${issue}` }
        : { field: `body.${part}`, issue },
    ]
  })
}
