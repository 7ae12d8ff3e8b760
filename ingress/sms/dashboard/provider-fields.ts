import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import type { Kind } from '#sql/sms/providers.ts'
import { type FormState, linesField, optionalField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { secretField } from '../../http/html/secret-field.ts'

const text = optionalField(z.string())

/** Fields of all kinds. Each name is unique, so that a fault of the API appears at its field. */
export const kindFields = {
  ...{ account_sid: text, auth_token: text, messaging_service_sid: text },
  ...{ api_key: text, api_secret: text, application_id: text, private_key: text, signature_secret: text },
  ...{ url: text, format: text, authorization: text, body: text, id_path: text, callback: text },
}

type Given = { readonly [Name in keyof typeof kindFields]?: string | undefined }

const exampleBody = '{"to": "{{to}}", "from": "{{from}}", "message": "{{text}}"}'

const exampleCallback =
  '{"secret": "…", "signature_header": "x-signature", "id_path": "id", "status_path": "status", "statuses": {"DELIVRD": "delivered"}}'

export function kindInputs(kind: Kind, filled: FormState): Html {
  if (kind === 'twilio')
    return html`${textField(filled, { name: 'account_sid', label: 'Account SID', required: true, hint: 'On the first page of the Twilio console. Starts with AC.' })}
${secretField(filled, { name: 'auth_token', label: 'Auth token', required: true, hint: 'Next to the account SID. It also proves that callbacks are from Twilio.' })}
${textField(filled, { name: 'messaging_service_sid', label: 'Messaging service SID', hint: 'Optional. The service then chooses the sender. Starts with MG.' })}`
  if (kind === 'vonage')
    return html`${textField(filled, { name: 'api_key', label: 'API key', required: true })}
${secretField(filled, { name: 'api_secret', label: 'API secret', hint: 'Required without an application.' })}
${secretField(filled, { name: 'signature_secret', label: 'Signature secret', required: true, hint: 'Under API settings. It proves that callbacks are from Vonage.' })}
${textField(filled, { name: 'application_id', label: 'Application ID', hint: 'Optional. Requests are then signed with the private key of the application.' })}
${linesField(filled, { name: 'private_key', label: 'Private key', few: true, hint: 'Optional. In PEM format.' })}`
  return html`${textField(filled, { name: 'url', label: 'URL', type: 'url', required: true, hint: 'URL of the provider that accepts messages.' })}
${selectField(filled, {
  name: 'format',
  label: 'Format',
  options: [
    ['json', 'JSON'],
    ['form', 'Form'],
  ],
})}
${secretField(filled, { name: 'authorization', label: 'Authorization header', hint: 'Optional. For example, Bearer and a token.' })}
${linesField(filled, { name: 'body', label: 'Body (JSON)', few: true, required: true, otherwise: exampleBody, hint: html`Placeholders: <code>{{to}}</code>, <code>{{text}}</code>, <code>{{from}}</code>, <code>{{id}}</code>, <code>{{callback_url}}</code>.` })}
${textField(filled, { name: 'id_path', label: 'Path of the ID', hint: 'Optional. Place of the message ID in the response. For example, messages.0.id.' })}
${linesField(filled, { name: 'callback', label: 'Callbacks (JSON)', few: true, hint: html`Optional. Where callbacks have their fields. For example, <code>${exampleCallback}</code>.` })}`
}

/** Returns the part of a connection for its kind, as the API accepts it. */
export function toKindPart(kind: Kind, given: Given): object {
  if (kind === 'twilio') {
    const { account_sid = '', auth_token = '', messaging_service_sid } = given
    return { account_sid, auth_token, messaging_service_sid }
  }
  if (kind === 'vonage') {
    const { api_key = '', api_secret, application_id, private_key, signature_secret = '' } = given
    return { api_key, api_secret, application_id, private_key: private_key?.replaceAll('\r\n', '\n'), signature_secret }
  }
  const { url = '', format, authorization, body, id_path, callback } = given
  return {
    ...{ url, format, id_path, headers: authorization === undefined ? {} : { authorization } },
    body: parse('body', body),
    callback: callback === undefined ? undefined : parse('callback', callback),
  }
}

function parse(field: string, json = ''): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw badRequest([{ field: `form.${field}`, issue: 'must be JSON' }])
  }
}
