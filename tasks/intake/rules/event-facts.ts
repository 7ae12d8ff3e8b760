import { toStorableText } from '#lib/outside-text.ts'
import type { Hmac, Source } from '#sql/intake/sources.ts'

export interface EventFacts {
  id: string | null
  type: string | null
}

interface Received {
  headers: Readonly<Record<string, string | undefined>>
  /** Parsed JSON of the body. Undefined if the body is not JSON. */
  json: unknown
}

/** Maximum length of an event’s ID and type. */
const maxLength = 200

type Provider = Exclude<Source['provider'], 'hmac'>

const byProvider: Readonly<Record<Provider, (received: Received) => { id: unknown; type: unknown }>> = {
  stripe: ({ json }) => ({ id: readPath(json, 'id'), type: readPath(json, 'type') }),
  github: ({ headers }) => ({ id: headers['x-github-delivery'], type: headers['x-github-event'] }),
  shopify: ({ headers }) => ({
    id: headers['x-shopify-webhook-id'] ?? headers['shopify-webhook-id'],
    type: headers['x-shopify-topic'] ?? headers['shopify-topic'],
  }),
  slack: ({ json }) => ({
    id: readPath(json, 'event_id'),
    type: readPath(json, 'event.type') ?? readPath(json, 'type'),
  }),
  standard: ({ headers, json }) => ({ id: headers['webhook-id'], type: readPath(json, 'type') }),
}

/** Returns the ID and type that the provider gives an event. Longer values are ignored. */
export function readEventFacts(source: Pick<Source, 'provider' | 'hmac'>, received: Received): EventFacts {
  const { id, type } =
    source.provider === 'hmac' ? ofHmac(source.hmac, received) : byProvider[source.provider](received)
  return { id: textOf(id), type: textOf(type) }
}

function ofHmac(settings: Hmac | null, { headers, json }: Received): { id: unknown; type: unknown } {
  const at = (header: string | null | undefined, path: string | null | undefined) =>
    (header ? headers[header] : undefined) ?? (path ? readPath(json, path) : undefined)
  return {
    id: at(settings?.event_id_header, settings?.event_id_path),
    type: at(settings?.event_type_header, settings?.event_type_path),
  }
}

function textOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value)
  return text === '' || text.length > maxLength ? null : toStorableText(text)
}

/** Returns the value of a JSON document at a path, such as `data.object.id` or `items.0.sku`. */
export function readPath(json: unknown, path: string): unknown {
  let value = json
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
