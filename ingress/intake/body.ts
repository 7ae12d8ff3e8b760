import type { Context } from 'koa'
import { readWithin } from '../http/request/read-within.ts'

/** Maximum size of a webhook in bytes. */
export const bodyLimit = 1024 * 1024

/** Time in milliseconds in which a provider must send the complete body. */
const bodyMs = 10_000

/** Reads the exact bytes of a body. Throws 408 if the sender is too slow, and 413 if the body is too large. */
export const readBytes = (ctx: Context): Promise<Buffer> => readWithin(ctx, bodyMs, bodyLimit)

const [maxHeaders, maxValue] = [64, 8_192]

/** Headers that are credentials, that belong to the connection, or that servers between add. */
const dropped =
  /^(authorization|proxy-.*|cookie|x-api-key|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-length|accept-encoding|forwarded|via|x-forwarded-.*|x-real-ip|traceparent|tracestate|baggage)$/

/** Returns all headers of a request, as signatures are checked with them. Names are in lower case. */
export function readHeaders(headers: Context['req']['headers']): Record<string, string | undefined> {
  const read: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) read[name] = [value].flat().join(', ')
  return read
}

/** Returns the headers of a request that are stored. Names are in lower case. */
export function keepHeaders(headers: Context['req']['headers']): Record<string, string> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || dropped.test(name) ? [] : [[name, [value].flat().join(', ').slice(0, maxValue)] as const],
  )
  return Object.fromEntries(kept.slice(0, maxHeaders))
}
