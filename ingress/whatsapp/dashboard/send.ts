import { z } from 'zod'
import { badRequest, type Fault, notFound, Problem } from '#lib/errors.ts'
import * as rows from '#sql/whatsapp/templates.ts'
import { formPage, type PageCall } from '../../http/dashboard/page.ts'
import { type FormState, linesField, optionalField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { sendTemplate, send as sendText } from '../messages.ts'
import { listTemplateVariables, type Variable } from '../template-variables.ts'
import { chatPreview, toBubble } from './bubble.ts'
import { exampleValues } from './new-template.ts'
import { keepForm } from './refusal.ts'
import { findAccount, phoneLink, section } from './section.ts'
import { explainReview } from './template-state.ts'
import { buildComponents } from './template-values.ts'

/** Maximum numbers of variables in a template that the form has fields for, and of templates to choose from. */
const [mostValues, mostTemplates] = [30, 100]

const text = z.string().default('')
const valueName = (i: number): string => `value_${i}`
const numbers = Array.from({ length: mostValues }, (_, i) => i)

const fields = z.object({
  to: text,
  text,
  ...Object.fromEntries(numbers.map((i) => [valueName(i), text])),
})

const query = z.object({ to: optionalField(z.string().max(40)), template: optionalField(z.string().max(500)) })

async function readTemplates(
  { db, services, member }: Pick<PageCall<unknown, unknown>, 'db' | 'services' | 'member'>,
  id: string | undefined,
) {
  const { accountId } = await findAccount(db, services, member.orgId)
  if (accountId === undefined) {
    if (id !== undefined) throw notFound('template')
    return { all: [], chosen: undefined }
  }
  const where = { where: rows.filters.status('APPROVED'), before: undefined, limit: mostTemplates }
  const all = await rows.list(db, accountId, where)
  const chosen = id === undefined ? undefined : await mustFind(rows.findByProviderId(db, accountId, id), 'template')
  return { all, chosen }
}

export const { show: write, submit: send } = formPage({
  path: '/whatsapp/send',
  summary: 'Send a WhatsApp message',
  section,
  permission: 'areas:write',
  query,
  fields,
  async view({ filled, fault, query: { to, template }, ...call }) {
    const { all, chosen } = await readTemplates(call, template)
    const main = html`${parentLink('WhatsApp', section.path)}<div class="title"><h1>Send a message</h1><p class="actions">${phoneLink(call.services)}</p></div>${renderFault(fault)}
${chosen && chosen.status !== 'APPROVED' && html`<p class="notice">The template is ${chosen.status.toLowerCase()}. ${explainReview(chosen)}</p>`}
${templateChoice(all, chosen, to)}
<form class="form" method="post">${tokenField(call.member)}
${textField(filled, { name: 'to', label: 'Phone number', required: true, otherwise: to ?? '', hint: 'In E.164 format. For example, +3725550101.' })}
${chosen ? templateFields(chosen, filled) : linesField(filled, { name: 'text', label: 'Text', required: true, prose: true, hint: 'The person must have written to you within the last 24 hours. Otherwise, choose a template.' })}
<p class="hint">The message counts toward usage.</p>
<button>Send message</button></form>
${chosen && html`<section><h2>Preview</h2><div class="columns">${chatPreview(toBubble(chosen, exampleValues(chosen)))}</div></section>`}`
    return { title: 'Send a message', main }
  },
  async submit({ ask, given, query: { template }, ...call }) {
    const { chosen } = await readTemplates(call, template)
    const reply = z.object({ id: z.string() })
    const to = given.to.trim()
    if (!chosen) {
      if (given.text.trim() === '') throw badRequest([{ field: 'form.text', issue: 'is required' }])
      const { id } = await keepForm(ask(sendText, { body: { to, text: given.text.replaceAll('\r\n', '\n') } }, reply))
      return { to: `${section.path}/messages/${id}`, told: 'Message accepted.' }
    }
    const variables = listTemplateVariables(chosen).slice(0, mostValues)
    const values = given as unknown as Record<string, string>
    const missing = variables.flatMap((_, i) =>
      values[valueName(i)]?.trim() ? [] : [{ field: `form.${valueName(i)}`, issue: 'is required' }],
    )
    if (missing.length > 0) throw badRequest(missing)
    const components = buildComponents(variables, (_, i) => values[valueName(i)]?.trim() ?? '')
    const body = {
      to,
      template: { name: chosen.name, language: { code: chosen.language }, ...(components && { components }) },
    }
    const { id } = await keepForm(atValues(ask(sendTemplate, { body }, reply), variables))
    return { to: `${section.path}/messages/${id}`, told: 'Message accepted.' }
  },
})

function templateChoice(
  all: readonly rows.Template[],
  chosen: rows.Template | undefined,
  to: string | undefined,
): Html {
  const options = chosen && !all.some(({ id }) => id === chosen.id) ? [chosen, ...all] : all
  return html`<form class="filter" method="get">${to !== undefined && html`<input type="hidden" name="to" value="${to}">`}
<div class="wide"><label for="template">Content</label><select id="template" name="template"><option value="">Free text</option>${options.map(
    (one) =>
      html`<option value="${one.provider_id}"${one.id === chosen?.id && html` selected`}>Template ${one.name} (${one.language})${one.status !== 'APPROVED' && `, ${one.status.toLowerCase()}`}</option>`,
  )}</select></div>
<div class="send"><button>Choose</button></div></form>`
}

const labelOf = ({ component, name, index, type }: Variable): string =>
  type === 'text'
    ? `${component === 'button' ? `Button ${(index ?? 0) + 1}` : component === 'header' ? 'Header' : 'Text'}: ${component === 'button' ? 'end of the URL' : `{{${name ?? index}}}`}`
    : `Header: URL of the ${type}`

const templateFields = (chosen: rows.Template, filled: FormState): Html =>
  html`${listTemplateVariables(chosen)
    .slice(0, mostValues)
    .map((one, i) =>
      textField(filled, { name: valueName(i), label: labelOf(one), required: true, otherwise: one.example ?? '' }),
    )}`

/** Returns the position of the first variable of each component of a message, in the order of `buildComponents`. */
function starts(variables: readonly Variable[]): number[] {
  const parts = variables.map(({ component, index }) => (component === 'button' ? `button ${index}` : component))
  return [...new Set(parts)].map((part) => parts.indexOf(part))
}

/** Moves the faults of a template’s parameters to the fields of the variables. */
async function atValues<T>(work: Promise<T>, variables: readonly Variable[]): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    const details = (error.details as Fault[]).map((fault) => {
      const [, , list, component, , parameter] = fault.field.split('.')
      if (list !== 'components' || parameter === undefined) return fault
      const i = starts(variables)[Number(component)] ?? 0
      return { ...fault, field: `form.${valueName(i + Number(parameter))}` }
    })
    throw new Problem(error.status, error.code, error.message, { details })
  }
}
