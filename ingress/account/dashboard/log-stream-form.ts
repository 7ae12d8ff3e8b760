import { z } from 'zod'
import { type Kind, kinds, type Stream, sources } from '#sql/account/streams/streams.ts'
import { checkBoxes, type FormState, linesField, repeatedField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { picker } from '../../http/html/picker.ts'
import { readNumber, trimmedOrUndefined } from './input.ts'
import { kindNames, sourceNames } from './log-streams.ts'
import { typeGroups } from './webhook-form.ts'

const text = z.string().max(25_000).default('')

export const commonFields = {
  name: text,
  sources: repeatedField(z.enum(sources)),
  types: repeatedField(z.string().max(100)),
  classes: repeatedField(z.string().max(1)),
  batch_seconds: text,
}

/** Fields of all kinds. A form shows the fields of one kind. */
export const kindFields = Object.fromEntries(
  [
    ...['endpoint', 'region', 'bucket', 'addressing', 'prefix', 'access_key_id', 'secret_access_key'],
    ...['url', 'encoding', 'headers', 'host', 'port', 'app_name', 'facility', 'ca_certificate'],
    ...['hec_token', 'index', 'sourcetype'],
  ].map((name) => [name, text]),
)

export const kindParam = z.enum(kinds)

const classes = [
  ['2', '2xx: success'],
  ['3', '3xx: redirect'],
  ['4', '4xx: rejected'],
  ['5', '5xx: failed'],
] as const

export const commonInputs = (filled: FormState, now?: Stream): Html => html`
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: now?.name ?? '', hint: 'For example, Audit archive.' })}
${checkBoxes(filled, { name: 'sources', label: 'Sources', options: sources.map((source) => [source, sourceNames[source]] as const), otherwise: now?.sources ?? ['audit'] })}
${picker(filled, { name: 'types', label: 'Event types', noun: 'event types', hint: 'Only for events. A group also includes future event types.', groups: typeGroups, otherwise: now?.event_types ?? ['*'] })}
${checkBoxes(filled, { name: 'classes', label: 'Requests', hint: 'Only for the request log. It contains all errors and a sample of successful requests.', options: classes, otherwise: now?.request_classes.map(String) ?? ['2', '3', '4', '5'] })}
${textField(filled, { name: 'batch_seconds', label: 'Seconds per batch', type: 'number', otherwise: now ? String(now.batch_seconds) : '', hint: 'Optional. 1 to 900. Default: 60 for S3, otherwise 5.' })}`

type Given = Record<string, string | string[] | undefined>

const one = (given: Given, name: string) => trimmedOrUndefined(String(given[name] ?? ''))

export const toCommon = (given: Given) => ({
  name: one(given, 'name') ?? '',
  sources: given.sources ?? [],
  event_types: given.types ?? [],
  request_classes: [given.classes ?? []].flat().map(Number),
  batch_seconds: readNumber(String(given.batch_seconds ?? '')),
})

const secretHint = 'Millrace encrypts it and does not show it again.'

const inputs: Readonly<Record<Kind, (filled: FormState) => Html>> = {
  s3: (filled) => html`
<div class="pair">${textField(filled, { name: 'region', label: 'Region', required: true, hint: 'For example, eu-north-1.' })}
${textField(filled, { name: 'bucket', label: 'Bucket', required: true })}</div>
<div class="pair">${textField(filled, { name: 'endpoint', label: 'Endpoint', type: 'url', hint: 'Optional. Leave blank for Amazon S3.' })}
${selectField(filled, {
  name: 'addressing',
  label: 'Bucket name',
  options: [
    ['virtual', 'in the host name'],
    ['path', 'in the path'],
  ],
})}</div>
${textField(filled, { name: 'prefix', label: 'Prefix', hint: 'Optional. Start of all object keys. For example, millrace/.' })}
<div class="pair">${textField(filled, { name: 'access_key_id', label: 'Access key ID', required: true })}
${textField(filled, { name: 'secret_access_key', label: 'Secret access key', required: true, hint: secretHint })}</div>`,
  otlp: (filled) => html`
${textField(filled, { name: 'url', label: 'URL', type: 'url', required: true, hint: 'For example, https://collector.example.com/v1/logs.' })}
${selectField(filled, {
  name: 'encoding',
  label: 'Encoding',
  options: [
    ['protobuf', 'Protobuf'],
    ['json', 'JSON'],
  ],
})}
${linesField(filled, { name: 'headers', label: 'Headers', few: true, hint: `Optional. One per line. For example, Authorization: Bearer …. ${secretHint}` })}`,
  syslog: (filled) => html`
<div class="pair">${textField(filled, { name: 'host', label: 'Host', required: true, hint: 'For example, logs.example.com.' })}
${textField(filled, { name: 'port', label: 'Port', type: 'number', otherwise: '6514' })}</div>
<div class="pair">${textField(filled, { name: 'app_name', label: 'App name', otherwise: 'millrace' })}
${textField(filled, { name: 'facility', label: 'Facility', type: 'number', otherwise: '13', hint: '0 to 23' })}</div>
${linesField(filled, { name: 'ca_certificate', label: 'CA certificate', hint: 'Optional. For a private certificate authority, in PEM format.' })}`,
  splunk: (filled) => html`
${textField(filled, { name: 'url', label: 'URL', type: 'url', required: true, hint: 'URL of the HTTP Event Collector.' })}
${textField(filled, { name: 'hec_token', label: 'Token', required: true, hint: secretHint })}
<div class="pair">${textField(filled, { name: 'index', label: 'Index', hint: 'Optional.' })}
${textField(filled, { name: 'sourcetype', label: 'Source type', hint: 'Optional. Default: _json.' })}</div>`,
}

export const kindInputs = (kind: Kind, filled: FormState): Html =>
  html`<fieldset><legend>${kindNames[kind]}</legend>${inputs[kind](filled)}</fieldset>`

const numbers = ['port', 'facility']

const fieldsOfKind: Readonly<Record<Kind, readonly string[]>> = {
  s3: ['endpoint', 'region', 'bucket', 'addressing', 'prefix', 'access_key_id', 'secret_access_key'],
  otlp: ['url', 'encoding', 'headers'],
  syslog: ['host', 'port', 'app_name', 'facility', 'ca_certificate'],
  splunk: ['url', 'hec_token', 'index', 'sourcetype'],
}

/** Returns the settings of a kind as the API accepts them. */
export function toSettings(kind: Kind, given: Given): { [Name in Kind]?: Record<string, unknown> } {
  const settings = fieldsOfKind[kind].flatMap((name): [string, unknown][] => {
    const value = one(given, name)
    if (value === undefined) return []
    if (name === 'headers') return [[name, toHeaders(value)]]
    // The field `token` of a form has the token of the session.
    if (name === 'hec_token') return [['token', value]]
    return [[name, numbers.includes(name) ? readNumber(value) : value]]
  })
  return { [kind]: Object.fromEntries(settings) }
}

const toHeaders = (lines: string): Record<string, string> =>
  Object.fromEntries(
    lines
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const [name = '', ...value] = line.split(':')
        return [name.trim(), value.join(':').trim()]
      }),
  )
