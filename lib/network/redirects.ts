import type { Dispatcher } from 'undici'
import { OutboundError } from './address-guard.ts'

const redirectStatuses = new Set([301, 302, 303, 307, 308])
/** Headers that are not sent to another origin (Fetch standard §4.4, HTTP-redirect fetch). */
const ofOrigin = new Set(['authorization', 'cookie', 'x-api-key'])

export function getRedirectTarget({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | undefined {
  const { location } = headers
  if (!redirectStatuses.has(statusCode) || typeof location !== 'string') return
  const target = URL.parse(location, from.href)
  if (!target) throw new OutboundError('bad_url', 'The response redirects to an invalid URL.')
  return target
}

export interface Hop {
  url: URL
  method: Dispatcher.HttpMethod
  body: string | Uint8Array | null
  headers: Record<string, string>
}

/**
 * Returns the request after a redirect. The method becomes GET after 303, and after 301 and 302 if it was POST (RFC
 * 9110 §15.4).
 */
export function followRedirect({ url, method, body, headers }: Hop, status: number, target: URL): Hop {
  const becomesGet = status === 303 ? method !== 'HEAD' : method === 'POST' && (status === 301 || status === 302)
  return {
    url: target,
    method: becomesGet ? 'GET' : method,
    body: becomesGet ? null : body,
    headers: target.origin === url.origin ? headers : without(headers, ofOrigin),
  }
}

const without = (headers: Record<string, string>, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase())))
