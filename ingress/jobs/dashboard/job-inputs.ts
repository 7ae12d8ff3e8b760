import type { Job } from '#sql/work/jobs.ts'
import { type FormState, linesField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'].map((one) => [one, one] as const)

const types = [
  ['json', 'JSON'],
  ['text', 'Text'],
] as const

const periods = [
  ['second', 'per second'],
  ['minute', 'per minute'],
  ['hour', 'per hour'],
] as const

/** Values of an existing job that the form shows. Values of headers are never shown again. */
export type Shown = Partial<
  Pick<
    Job,
    | 'url'
    | 'method'
    | 'body'
    | 'body_type'
    | 'retries'
    | 'timeout_ms'
    | 'group_name'
    | 'concurrency_key'
    | 'concurrency_limit'
    | 'rate_key'
    | 'rate_limit'
    | 'rate_per'
  >
>

/** Renders the fields of a request: URL, method, headers and body. */
export const requestInputs = (filled: FormState, now: Shown = {}, headersHint?: string): Html =>
  html`${textField(filled, { name: 'url', label: 'URL', type: 'url', required: true, otherwise: now.url ?? '', hint: 'For example, https://shop.example/jobs/charge.' })}
${selectField(filled, { name: 'method', label: 'Method', options: methods, otherwise: now.method ?? 'POST' })}
${linesField(filled, { name: 'body', label: 'Body', rows: 5, otherwise: now.body ?? '', hint: 'Optional. Up to 256 KB. For example, {"order": 1042}.' })}
${selectField(filled, { name: 'body_type', label: 'Type of the body', options: types, otherwise: now.body_type ?? 'json' })}
${linesField(filled, { name: 'headers', label: 'Headers', few: true, hint: headersHint ?? 'Optional. One per line. For example, Authorization: Bearer 17. Values are encrypted and not shown again.' })}`

const folded = ['max_attempts', 'retry_delays', 'timeout', 'concurrency', 'concurrency_limit', 'rate', 'rate_limit']

const text = (value: number | null | undefined): string => (value == null ? '' : String(value))

/** Renders the fields of retries and limits, closed until the user opens them. */
export const limitInputs = (filled: FormState, now: Shown = {}): Html =>
  html`${textField(filled, { name: 'group', label: 'Group', otherwise: now.group_name ?? '', hint: 'Optional. A name with which you find and replay jobs.' })}
<details class="more-fields"${folded.some((name) => filled.given[name] || filled.faults[name]) && html` open`}><summary>Retries and limits</summary>
${textField(filled, { name: 'max_attempts', label: 'Maximum attempts', type: 'number', otherwise: text(now.retries?.max_attempts), hint: 'Optional. The first attempt counts.' })}
${textField(filled, { name: 'retry_delays', label: 'Delays', otherwise: now.retries?.schedule?.join(', ') ?? '', hint: 'Optional. Seconds before each retry, separated by commas. For example, 10, 60, 3600.' })}
${textField(filled, { name: 'timeout', label: 'Timeout in seconds', type: 'number', otherwise: now.timeout_ms ? String(now.timeout_ms / 1_000) : '', hint: 'Optional. Default: 30.' })}
${textField(filled, { name: 'concurrency', label: 'Concurrency key', otherwise: now.concurrency_key ?? '', hint: 'Optional. Only some jobs with the same key run at the same time.' })}
${textField(filled, { name: 'concurrency_limit', label: 'Jobs at the same time', type: 'number', otherwise: text(now.concurrency_limit), hint: 'Optional. Default: 1.' })}
${textField(filled, { name: 'rate', label: 'Rate key', otherwise: now.rate_key ?? '', hint: 'Optional. Jobs with the same key start at a limited rate.' })}
${textField(filled, { name: 'rate_limit', label: 'Starts', type: 'number', otherwise: text(now.rate_limit), hint: 'Optional. Default: 1.' })}
${selectField(filled, { name: 'rate_per', label: 'Period of the rate', options: periods, otherwise: now.rate_per ?? 'minute' })}</details>`
