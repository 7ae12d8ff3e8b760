import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import type { Action } from '#sql/automation/actions.ts'
import { methods } from '#sql/work/jobs.ts'
import { type FormState, linesField, optionalField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'

const text = optionalField(z.string().max(40_000))

/** Fields of all actions. Each name is unique, so that a fault of the API appears at its field. */
export const actionFields = {
  ...{ workflow: text, user_id: text, title: text, text: text, link: text, data: text, email: text },
  ...{ template: text, to: text, from: text, variables: text },
  ...{ url: text, method: text, headers: text, body: text, group: text, delay: text, timeout: text },
}

type Given = { readonly [Name in keyof typeof actionFields]?: string | undefined }

export interface Choices {
  workflows: readonly string[]
  templates: readonly (readonly [name: string, words: string])[]
}

const json = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2))

export function actionInputs(type: Action['type'], filled: FormState, now: Action | undefined, choices: Choices): Html {
  const inputs = {
    workflow: () => workflowInputs(filled, now?.type === 'workflow' ? now : undefined, choices),
    template: () => templateInputs(filled, now?.type === 'template' ? now : undefined, choices),
    job: () => jobInputs(filled, now?.type === 'job' ? now : undefined),
  }
  return html`${inputs[type]()}
<p class="hint">Texts can contain placeholders: <code>{{event.id}}</code>, <code>{{event.type}}</code>, <code>{{event.timestamp}}</code> and fields such as <code>{{event.data.id}}</code>. A fallback follows a bar: <code>{{event.data.reason|"none"}}</code>.</p>`
}

const workflowInputs = (
  filled: FormState,
  now: Extract<Action, { type: 'workflow' }> | undefined,
  { workflows }: Choices,
) =>
  html`${selectField(filled, { name: 'workflow', label: 'Workflow', options: workflows.map((key) => [key, key]), otherwise: now?.workflow ?? '', hint: workflows.length === 0 ? 'You have no workflows yet. Create one under Notifications.' : 'It must be published when the rule starts.' })}
${textField(filled, { name: 'user_id', label: 'Your ID for the person', required: true, otherwise: now?.user_id ?? '{{event.data.user_id}}' })}
${textField(filled, { name: 'title', label: 'Title', otherwise: now?.title ?? '', hint: 'Optional. Default: the name of the rule.' })}
${linesField(filled, { name: 'text', label: 'Text', few: true, prose: true, otherwise: now?.body ?? '', hint: 'Optional.' })}
${textField(filled, { name: 'link', label: 'URL to open', otherwise: now?.url ?? '', hint: 'Optional.' })}
${textField(filled, { name: 'email', label: 'Email recipient', otherwise: now?.email ?? '', hint: 'Optional. Default: the address in the directory of people.' })}
${linesField(filled, { name: 'data', label: 'Data (JSON)', few: true, otherwise: json(now?.data), hint: html`Optional. For example, <code>{"order": "{{event.data.id}}"}</code>.` })}`

const templateInputs = (
  filled: FormState,
  now: Extract<Action, { type: 'template' }> | undefined,
  { templates }: Choices,
) =>
  html`${selectField(filled, { name: 'template', label: 'Template', options: templates, otherwise: now?.template ?? '', hint: templates.length === 0 ? 'You have no templates yet. Create one under Email.' : undefined })}
${textField(filled, { name: 'to', label: 'Recipient', required: true, otherwise: now?.to ?? '', hint: 'For example, team@example.com or {{event.data.to}}.' })}
${textField(filled, { name: 'from', label: 'Sender', otherwise: now?.from ?? '', hint: 'Optional. Default: notifications@ your oldest verified domain.' })}
${linesField(filled, { name: 'variables', label: 'Variables (JSON)', few: true, otherwise: json(now?.variables), hint: html`Optional. For example, <code>{"reason": "{{event.data.reason}}"}</code>.` })}`

const jobInputs = (filled: FormState, now: Extract<Action, { type: 'job' }> | undefined) =>
  html`${textField(filled, { name: 'url', label: 'URL', type: 'url', required: true, otherwise: now?.url ?? '', hint: 'Millrace calls this URL and signs the request.' })}
<div class="pair">${selectField(filled, { name: 'method', label: 'Method', options: methods.map((one) => [one, one]), otherwise: now?.method ?? 'POST' })}
${textField(filled, { name: 'group', label: 'Group', otherwise: now?.group ?? '', hint: 'Optional. Name by which jobs are listed.' })}</div>
${linesField(filled, { name: 'headers', label: 'Headers (JSON)', few: true, hint: headerHint(now) })}
${linesField(filled, { name: 'body', label: 'Body (JSON)', few: true, otherwise: json(now?.body), hint: 'Optional. Default: the event.' })}
<div class="pair">${textField(filled, { name: 'delay', label: 'Delay in seconds', type: 'number', otherwise: now?.delay === undefined ? '' : String(now.delay), hint: 'Optional.' })}
${textField(filled, { name: 'timeout', label: 'Timeout in seconds', type: 'number', otherwise: String(now?.timeout ?? 30) })}</div>`

const headerHint = (now: Extract<Action, { type: 'job' }> | undefined): Html | string =>
  now && now.header_names.length > 0
    ? html`Stored encrypted: ${now.header_names.join(', ')}. Leave blank to keep them, or enter <code>{}</code> to remove them.`
    : html`Optional. Stored encrypted. For example, <code>{"authorization": "Bearer …"}</code>.`

/** Returns the action of a form, as the API accepts it. Fields that the form does not have keep their values. */
export function readAction(type: Action['type'], given: Given, now: Action | undefined): object {
  if (type === 'workflow') {
    const { workflow = '', user_id = '', title, text: body = null, link: url = null, email = null, data } = given
    return { type, workflow, user_id, title, body, url, email, data: parse('data', data) ?? {} }
  }
  if (type === 'template') {
    const { template = '', to = '', from = null, variables } = given
    return { type, template, to, from, variables: parse('variables', variables) ?? {} }
  }
  const { url = '', method = 'POST', group, headers, body, delay, timeout } = given
  const { retries, concurrency, rate, dedupe_key, dedupe_window } =
    now?.type === 'job' ? now : ({} as Partial<Extract<Action, { type: 'job' }>>)
  return {
    ...{ type, url, method, group, retries, concurrency, rate, dedupe_key, dedupe_window },
    ...{ headers: parse('headers', headers), body: parse('body', body) },
    ...{ delay: numberOf(delay), timeout: numberOf(timeout) },
  }
}

const numberOf = (given: string | undefined): number | undefined => (given === undefined ? undefined : Number(given))

function parse(field: string, text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest([{ field: `form.${field}`, issue: 'must be JSON' }])
  }
}
