import { type Connection, type OutgoingSms, SmsError } from '#tasks/sms/engine.ts'
import { HttpSecrets, HttpSettings } from '#tasks/sms/rules/connection-settings.ts'
import { fillTemplate, readPath } from '#tasks/sms/rules/http-template.ts'
import type { Exchange } from './exchange.ts'

/** Maximum length of an ID in a response. */
const maxId = 200

/** Sends a message to the HTTP API that the connection describes. Returns the ID from the response, if it has one. */
export async function sendByHttp(
  exchange: Exchange,
  connection: Connection,
  { id, to, from, text, callbackUrl }: OutgoingSms,
): Promise<string | null> {
  const { url, method, format, body, id_path } = HttpSettings.parse(connection.settings)
  const { headers } = HttpSecrets.parse(connection.secrets)
  const filled = fillTemplate(body, { id, to, from: from ?? '', text, callback_url: callbackUrl })
  const { status, json } = await exchange({
    url,
    method,
    headers: {
      accept: 'application/json',
      'content-type': format === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: format === 'json' ? JSON.stringify(filled) : toForm(filled),
  })
  if (status >= 400) throw new SmsError('refused', `The provider returned ${status}.`, { httpStatus: status })
  if (id_path === undefined) return null
  const found = readPath(json, id_path)
  const isId = (typeof found === 'string' && found !== '') || typeof found === 'number'
  if (isId) return String(found).slice(0, maxId)
  throw new SmsError('unknown', 'The response has no ID.', { httpStatus: status })
}

function toForm(filled: unknown): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(filled as object))
    form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  return form.toString()
}
