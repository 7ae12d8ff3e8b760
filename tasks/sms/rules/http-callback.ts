import { createHmac } from 'node:crypto'
import { isEqualInConstantTime } from '#lib/equal-in-constant-time.ts'
import type { Connection } from '../engine.ts'
import type { CallbackReader, ReceivedCallback } from './callback.ts'
import { HttpSecrets, HttpSettings } from './connection-settings.ts'
import { readPath } from './http-template.ts'
import { parseJson } from './parse-json.ts'

/** Maximum length of an ID or a number in a callback. */
const maxField = 200

function fieldAt(json: unknown, path: string | undefined, most = maxField): string | undefined {
  const found = path === undefined ? undefined : readPath(json, path)
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' && found !== '' && found.length <= most ? found : undefined
}

/** Reads callbacks of the HTTP API that a connection describes. Without a callback secret, no callback is accepted. */
export function httpCallback({ settings, secrets }: Connection): CallbackReader {
  const { callback } = HttpSettings.parse(settings)
  const { callback_secret } = HttpSecrets.parse(secrets)
  return {
    isSigned({ header, body }: ReceivedCallback) {
      if (!callback || callback_secret === undefined) return false
      const given = (header(callback.signature_header.toLowerCase()) ?? '').replace(/^sha256=/, '')
      const mac = createHmac('sha256', callback_secret).update(body).digest()
      return [mac.toString('hex'), mac.toString('base64')].some((one) => isEqualInConstantTime(given, one))
    },
    readStatus({ body, messageId }) {
      const json = parseJson(body)
      const word = fieldAt(json, callback?.status_path)
      const status = word === undefined ? undefined : callback?.statuses[word]
      if (!status) return undefined
      const id = fieldAt(json, callback?.id_path)
      return { id: messageId ?? id, providerMessageId: id, status, code: fieldAt(json, callback?.error_path) ?? null }
    },
    readText({ body }) {
      const json = parseJson(body)
      const from = fieldAt(json, callback?.from_path)
      const text = fieldAt(json, callback?.text_path, 10_000)
      if (from === undefined || text === undefined) return undefined
      return {
        providerMessageId: fieldAt(json, callback?.id_path) ?? null,
        from,
        to: fieldAt(json, callback?.to_path) ?? null,
        text,
      }
    },
  }
}
