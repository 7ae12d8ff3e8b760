import { z } from 'zod'
import { parseRetryAfter } from '#lib/retry.ts'
import { CloudApiError } from '#tasks/whatsapp/engine.ts'

const Refusal = z.object({ error: z.object({ code: z.int(), error_subcode: z.int().nullish().catch(null) }) })

export function parseResponse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Answer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  json: unknown
}

/**
 * Returns the error of a response with status 400 or more. A 5xx without an API error comes from a gateway and says
 * nothing about the message.
 */
export function findApiError({ status, headers, json }: Answer): CloudApiError {
  const refusal = Refusal.safeParse(json)
  const retryAfter = parseRetryAfter(headers['retry-after']) || null
  const { code = null, error_subcode: subcode = null } = refusal.data?.error ?? {}
  const facts = { httpStatus: status, code, subcode, retryAfter }
  const isKnown = refusal.success || status < 500
  return new CloudApiError(isKnown ? 'refused' : 'unknown', `The Cloud API returned ${status}.`, facts)
}
