import { z } from 'zod'
import { parseRetryAfter } from '#lib/retry.ts'
import type { PushAnswer, ResponseMeaning } from '../client.ts'
import { isConnectionFailure } from '../unmade.ts'
import { AccessTokenFault, parseJson } from './access-token.ts'
import { getFcmMeaning } from './outcomes.ts'
import type { GoogleAnswer } from './transport.ts'

const FcmError = z.object({
  error: z.object({
    message: z.string().optional(),
    status: z.string().optional(),
    details: z
      .array(
        z.looseObject({
          errorCode: z.string().optional(),
          fieldViolations: z.array(z.looseObject({ field: z.string().optional() })).optional(),
        }),
      )
      .optional(),
  }),
})

const Sent = z.object({ name: z.string().optional() })

/** Returns the outcome of a request that did not get a complete response. */
export function toPushAnswer(error: unknown): PushAnswer {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (error instanceof AccessTokenFault) {
    return { outcome: error.outcome, status: error.status, reason: 'access_token', error: message }
  }
  if (isConnectionFailure(error)) return { outcome: 'retry', reason: 'connection_failed', error: message }
  const isLate = code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT'
  return { outcome: 'unknown', reason: isLate ? 'timeout' : 'connection_lost', error: message }
}

export function readAnswer({ status, headers, text }: GoogleAnswer): PushAnswer {
  const body = parseJson(text)
  const sent = Sent.safeParse(body)
  if (status === 200 && sent.success) return { outcome: 'sent', status, providerId: sent.data.name }
  const { error: said } = FcmError.safeParse(body).data ?? {}
  const code = said?.details?.find(({ errorCode }) => errorCode !== undefined)?.errorCode ?? said?.status
  const isToken = code === 'INVALID_ARGUMENT' && blamesToken(said)
  const { outcome, suspect, retryAfter }: ResponseMeaning = isToken
    ? { outcome: 'invalid_token' }
    : getFcmMeaning(status, code)
  return {
    outcome,
    suspect,
    status,
    reason: code ?? `HTTP_${status}`,
    retryAfter: parseRetryAfter(headers['retry-after']) ?? retryAfter,
    error: said?.message?.slice(0, 500),
  }
}

function blamesToken(said: z.infer<typeof FcmError>['error'] | undefined): boolean {
  const fields = said?.details?.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field)) ?? []
  return fields.includes('message.token') || /registration token is not a valid/i.test(said?.message ?? '')
}
