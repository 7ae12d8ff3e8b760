import { z } from 'zod'
import { config } from '#lib/config.ts'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { type Forward, Hmac, type Provider, type Source } from '#sql/intake/sources.ts'
import { type FormState, linesField, optionalField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'

const text = optionalField(z.string().trim().max(5_000))

/** Fields of a source. `forward_url` is the field `forward.url` of the API, and so on. */
export const sourceFields = {
  ...{ name: text, event_types: text, filter: text, dedupe: text, response_status: text, response_body: text },
  ...{ forward_url: text, forward_group: text, forward_timeout: text, forward_retries: text },
  ...{ forward_concurrency: text, forward_rate: text, forward_headers: text },
  ...{ retention_days: text, hmac_header: text, hmac_algorithm: text, hmac_encoding: text, hmac_prefix: text },
  ...{ hmac_signed: text, hmac_timestamp_header: text, hmac_event_id_path: text, hmac_event_type_path: text },
}

type Given = { readonly [Name in keyof typeof sourceFields]?: string | undefined }

const yesNo = [
  ['true', 'Forward each event once'],
  ['false', 'Forward every request'],
] as const

const same = (values: readonly string[]) => values.map((value) => [value, value] as const)

const linesOf = (values: readonly string[] = []): string => values.join('\n')

export function sourceInputs(provider: Provider, filled: FormState, now?: Source): Html {
  const filter = now && Object.keys(now.filter).length > 0 ? JSON.stringify(now.filter) : ''
  const { status = 200, body = '' } = now?.response ?? {}
  return html`${textField(filled, { name: 'forward_url', label: 'Forward to', type: 'url', otherwise: now?.forward?.url ?? '', hint: 'Optional. URL of your server. Leave blank to only store requests.' })}
${provider === 'hmac' && hmacInputs(filled, now?.hmac ?? undefined)}
${linesField(filled, { name: 'event_types', label: 'Event types', few: true, otherwise: linesOf(now?.event_types), hint: 'Optional. One per line. For example, invoice.paid or invoice.*' })}
${linesField(filled, { name: 'filter', label: 'Filter (JSON)', few: true, otherwise: filter, hint: html`Optional. Allowed values by path in the body. For example, <code>{"data.object.currency": ["eur"]}</code>.` })}
<div class="pair">${selectField(filled, { name: 'dedupe', label: 'Repeated events', options: yesNo, otherwise: String(now?.dedupe ?? true) })}
${textField(filled, { name: 'retention_days', label: 'Days kept', type: 'number', otherwise: now?.retention_days ? String(now.retention_days) : '', hint: `Optional. Default: ${config.INTAKE_DAYS}.` })}</div>
${forwardInputs(filled, now?.forward ?? undefined)}
<div class="pair">${textField(filled, { name: 'response_status', label: 'Response status', type: 'number', otherwise: String(status), hint: '200 to 299' })}
${textField(filled, { name: 'response_body', label: 'Response body', otherwise: body, hint: 'Optional. Default: the ID of the request.' })}</div>`
}

const forwardInputs = (
  filled: FormState,
  now?: Forward,
): Html => html`<details${Object.keys(filled.faults).some((name) => name.startsWith('forward_')) && html` open`}><summary>Jobs that forward requests</summary>
<div class="pair">${textField(filled, { name: 'forward_timeout', label: 'Timeout in seconds', type: 'number', otherwise: now?.timeoutMs ? String(now.timeoutMs / 1000) : '', hint: 'Optional. Default: 30.' })}
${textField(filled, { name: 'forward_group', label: 'Job group', otherwise: now?.group ?? '', hint: 'Optional. Name by which the jobs are listed.' })}</div>
${linesField(filled, { name: 'forward_headers', label: 'Headers (JSON)', few: true, hint: html`Optional. For example, <code>{"authorization": "Bearer …"}</code>. Leave blank to keep the current headers.` })}
${linesField(filled, { name: 'forward_retries', label: 'Retries (JSON)', few: true, otherwise: jsonOf(now?.retries), hint: html`Optional. For example, <code>{"schedule": [10, 60, 600]}</code>.` })}
<div class="pair">${textField(filled, { name: 'forward_concurrency', label: 'Concurrency (JSON)', otherwise: jsonOf(now?.concurrency), hint: html`Optional. For example, <code>{"key": "billing", "limit": 1}</code>.` })}
${textField(filled, { name: 'forward_rate', label: 'Rate (JSON)', otherwise: jsonOf(now?.rate), hint: html`Optional. For example, <code>{"key": "billing", "limit": 10}</code>.` })}</div></details>`

const jsonOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))

const hmacInputs = (
  filled: FormState,
  now?: Hmac,
): Html => html`${textField(filled, { name: 'hmac_header', label: 'Signature header', required: true, otherwise: now?.header ?? 'x-signature' })}
<div class="pair">${selectField(filled, { name: 'hmac_algorithm', label: 'Algorithm', options: same(Hmac.shape.algorithm.options), otherwise: now?.algorithm ?? 'sha256' })}
${selectField(filled, { name: 'hmac_encoding', label: 'Encoding', options: same(Hmac.shape.encoding.options), otherwise: now?.encoding ?? 'hex' })}</div>
<div class="pair">${textField(filled, { name: 'hmac_prefix', label: 'Prefix of the signature', otherwise: now?.prefix ?? '', hint: 'Optional. For example, sha256=' })}
${selectField(filled, { name: 'hmac_signed', label: 'Signed text', options: same(Hmac.shape.signed.options), otherwise: now?.signed ?? 'body' })}</div>
${textField(filled, { name: 'hmac_timestamp_header', label: 'Timestamp header', otherwise: now?.timestamp_header ?? '', hint: 'Optional. Header with the time of the signature in seconds.' })}
<div class="pair">${textField(filled, { name: 'hmac_event_id_path', label: 'Path of the event ID', otherwise: now?.event_id_path ?? '', hint: 'Optional. For example, data.id' })}
${textField(filled, { name: 'hmac_event_type_path', label: 'Path of the event type', otherwise: now?.event_type_path ?? '', hint: 'Optional. For example, type' })}</div>`

/** Returns the body of the API for the fields of a form. Settings without a field stay as they are. */
export function toSource(provider: Provider, given: Given, now?: Source): Record<string, unknown> {
  const { retention_days: days } = given
  return {
    name: given.name ?? '',
    forward: given.forward_url === undefined ? null : forwardOf(given.forward_url, given),
    event_types: [...new Set((given.event_types ?? '').split(/\s+/).filter((type) => type !== ''))],
    filter: parse('filter', given.filter) ?? {},
    dedupe: given.dedupe !== 'false',
    retention_days: days === undefined ? null : Number(days),
    response: responseOf(given, now),
    ...(provider === 'hmac' && { hmac: { ...now?.hmac, ...hmacOf(given) } }),
  }
}

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

const forwardOf = (url: string, given: Given): object => ({
  url,
  group: given.forward_group,
  timeout: numberOf(given.forward_timeout),
  headers: parse('forward_headers', given.forward_headers),
  retries: parse('forward_retries', given.forward_retries),
  concurrency: parse('forward_concurrency', given.forward_concurrency),
  rate: parse('forward_rate', given.forward_rate),
})

function responseOf({ response_status = '200', response_body }: Given, now: Source | undefined): object | null {
  if (response_status === '200' && response_body === undefined) return null
  const { content_type = 'text/plain' } = now?.response ?? {}
  return { status: Number(response_status), body: response_body ?? '', content_type }
}

const hmacOf = (given: Given) => ({
  header: given.hmac_header ?? '',
  algorithm: given.hmac_algorithm,
  encoding: given.hmac_encoding,
  prefix: given.hmac_prefix ?? '',
  signed: given.hmac_signed,
  timestamp_header: given.hmac_timestamp_header ?? null,
  event_id_path: given.hmac_event_id_path ?? null,
  event_type_path: given.hmac_event_type_path ?? null,
})

function parse(field: string, json: string | undefined): unknown {
  if (json === undefined) return undefined
  try {
    return JSON.parse(json)
  } catch {
    throw badRequest([{ field: `form.${field}`, issue: 'must be JSON' }])
  }
}

/** Moves faults of nested fields, such as `body.forward.url`, to the fields of the form. */
export async function atFields<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    const details = (error.details as Fault[]).map(({ field, issue }) => ({ field: toFormField(field), issue }))
    throw new Problem(error.status, error.code, error.message, { details })
  }
}

function toFormField(field: string): string {
  const [, part = '', name] = field.split('.')
  return name !== undefined && nested.has(part) ? `body.${part}_${name}` : field
}

const nested = new Set(['forward', 'hmac', 'response'])
