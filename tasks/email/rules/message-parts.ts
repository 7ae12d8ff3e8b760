import type { Fault } from '#lib/errors.ts'
import { listPlaceholders, render } from '#lib/placeholders.ts'
import type { Template } from '#sql/email/templates.ts'
import type { Person } from './campaigns/merge-fields.ts'
import { fillConfirmUrl, findLengthFault, hasConfirmLink } from './consent/reconfirm-text.ts'
import { findUnsubscribeLengthFault, withUnsubscribeUrl } from './consent/unsubscribe-text.ts'

export const noSuchTemplate = 'must be one of your templates'
export const noSuchAlias = 'must be the alias of one of your templates'

export interface MessageInput {
  subject?: string | undefined
  html?: string | undefined
  text?: string | undefined
  template_id?: string | undefined
  variables?: Readonly<Record<string, unknown>> | undefined
}

export interface Parts {
  subject: string
  html: string | null
  text: string | null
}

/** Recipient of a message. Used for `contact.…` and the unsubscribe URL. */
export interface Reader {
  contact: Partial<Person> & Pick<Person, 'email'>
  unsubscribeUrl: string | undefined
}

/**
 * Returns the parts of a message: the given parts, otherwise the parts of the template. With `confirmUrl`, every part
 * must contain a link to it.
 */
export function renderParts(
  given: MessageInput,
  template: Template | undefined,
  confirmUrl: string | undefined,
  reader: Reader,
): Parts | { faults: Fault[] } {
  const { template_id, subject, variables = {} } = given
  if (template_id !== undefined && !template) {
    return { faults: [{ field: 'body.template_id', issue: noSuchTemplate }] }
  }
  const faults = confirmUrl === undefined ? [] : missingLinks(given, template)
  const long = longParts(given, confirmUrl, reader.unsubscribeUrl)
  if (long.length > 0) return { faults: [...faults, ...long] }
  if (template?.syntax === 'liquid')
    return { faults: [{ field: 'body.template_id', issue: 'was changed at the same time. Send the request again.' }] }
  const { html, text } = withFilledLinks(given, confirmUrl, reader.unsubscribeUrl)
  const parts = template
    ? rendered({ subject, html, text, variables }, template, confirmUrl, reader, faults)
    : { subject: subject ?? '', html: html ?? null, text: text ?? null }
  return faults.length > 0 ? { faults } : parts
}

/** Fills in the links of parts that a message has itself. */
export function withFilledLinks(
  { html, text }: MessageInput,
  confirmUrl: string | undefined,
  unsubscribeUrl: string | undefined,
): Pick<MessageInput, 'html' | 'text'> {
  const said = withUnsubscribeUrl({ html, text }, unsubscribeUrl)
  return confirmUrl === undefined ? said : fillConfirmUrl(said, confirmUrl)
}

function rendered(
  { subject, html, text, variables = {} }: MessageInput,
  template: Template,
  confirmUrl: string | undefined,
  { contact, unsubscribeUrl }: Reader,
  faults: Fault[],
): Parts {
  faults.push(...strangers(variables, template, confirmUrl))
  const all = {
    contact,
    ...(unsubscribeUrl !== undefined && { unsubscribe_url: unsubscribeUrl }),
    // Variables of the caller take precedence, because callers could use these names before they were reserved.
    ...variables,
    ...(confirmUrl !== undefined && { confirm_url: confirmUrl }),
  }
  return {
    subject: subject ?? render('subject', template.subject, all, faults),
    html: html ?? render('html', template.html, all, faults),
    text: text ?? (template.text === null ? null : render('text', template.text, all, faults)),
  }
}

function strangers(variables: object, template: Template, confirmUrl: string | undefined): Fault[] {
  const names = new Set(
    listPlaceholders(template.subject, template.html, template.text).map((name) => name.split('.')[0]),
  )
  return Object.keys(variables).flatMap((name) => {
    const field = `body.variables.${name}`
    if (name === 'confirm_url' && confirmUrl !== undefined)
      return [{ field, issue: 'is filled in by Millrace and cannot be set' }]
    return names.has(name) ? [] : [{ field, issue: 'does not match any placeholder of the template' }]
  })
}

export const longParts = (
  given: MessageInput,
  confirmUrl: string | undefined,
  unsubscribeUrl: string | undefined,
): Fault[] =>
  (['html', 'text'] as const).flatMap((part) => {
    const said = given[part] ?? ''
    const issue =
      (confirmUrl === undefined ? undefined : findLengthFault(said, confirmUrl)) ??
      (unsubscribeUrl === undefined ? undefined : findUnsubscribeLengthFault(said, unsubscribeUrl))
    return issue === undefined ? [] : [{ field: `body.${part}`, issue }]
  })

/** Returns an issue for each part without the link. A recipient may see only one part, so every part needs the link. */
export function missingLinks(given: MessageInput, template: Pick<Template, 'html' | 'text'> | undefined): Fault[] {
  return (['html', 'text'] as const).flatMap((part) => {
    const said = given[part] ?? template?.[part]
    if (said === undefined || said === null || hasConfirmLink(said)) return []
    const issue = 'must have a link to {{confirm_url}} on the `repermission` stream, so that the recipient can confirm'
    return [
      given[part] === undefined
        ? { field: 'body.template_id', issue: `${part} ${issue}` }
        : { field: `body.${part}`, issue },
    ]
  })
}
