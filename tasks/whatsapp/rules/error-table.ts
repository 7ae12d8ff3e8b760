import type { MessageError } from '#sql/whatsapp/messages.ts'
import type { CloudApiError } from '../engine.ts'

interface Meaning {
  status: 400 | 429 | 502 | 503
  code: string
  message: string
  retryable: boolean
  /** Seconds. */
  retryAfter?: number
}

const meaning = (
  status: Meaning['status'],
  code: string,
  message: string,
  more: { retryable?: boolean; retryAfter?: number } = {},
): Meaning => ({ status, code, message, retryable: false, ...more })

const credentials = meaning(502, 'upstream_error', 'WhatsApp rejected the platform’s credentials.')
const account = meaning(502, 'upstream_error', 'WhatsApp rejected the platform’s business account or number.')
const transient = meaning(502, 'upstream_error', 'WhatsApp failed. You can send the message again.', {
  retryable: true,
})
const invalid = meaning(400, 'invalid_message', 'WhatsApp does not accept this message.')
const unreachable = meaning(400, 'recipient_unreachable', 'The recipient cannot be reached on WhatsApp.')
const undelivered = meaning(400, 'not_delivered', 'WhatsApp did not deliver this message. Do not send it again.')
const policy = meaning(400, 'template_policy', 'WhatsApp reports that the template violates its policies.')

export const outsideWindow = meaning(
  400,
  'outside_service_window',
  'The recipient has not written within the last 24 hours. Send a template message instead.',
)

export const wrongParameters = meaning(
  400,
  'template_parameters',
  'The parameters do not match the variables of the template.',
)

export const noTemplate = meaning(400, 'template_not_found', 'This template does not exist in this language.')

export const numberRemoved = meaning(400, 'number_removed', 'The number was removed before the message was sent.')

export const fileNotClean = meaning(
  400,
  'file_not_clean',
  'A file of the message was deleted or is no longer clean. The message was not sent.',
)

export const optedOut = meaning(
  400,
  'recipient_opted_out',
  'The recipient has opted out. Messages are possible after the person has written again.',
)

const ownCredentials = meaning(
  400,
  'number_refused',
  'WhatsApp rejected the credentials of your number. Replace them with POST /v1/whatsapp/numbers/{id}/rotate.',
)

const tooFast = (retryAfter: number, retryable = true) =>
  meaning(429, 'rate_limited', 'WhatsApp is temporarily accepting no more messages. Try again later.', {
    retryable,
    retryAfter,
  })

/** Meanings by code, see https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes. */
const meanings = new Map<number, Meaning>([
  ...[0, 3, 10, 190].map((code) => [code, credentials] as const),
  ...[100, 131008, 131009, 131021, 131051, 131053, 132012].map((code) => [code, invalid] as const),
  ...[131026, 131030].map((code) => [code, unreachable] as const),
  [131047, outsideWindow],
  [131050, meaning(400, 'recipient_opted_out', 'The recipient does not accept marketing messages.')],
  [132000, wrongParameters],
  [132001, noTemplate],
  [132005, meaning(400, 'template_text_too_long', 'The template is too long with these parameters.')],
  ...[132006, 132007].map((code) => [code, policy] as const),
  [132015, meaning(400, 'template_paused', 'Meta paused the template because of its low quality.')],
  [132016, meaning(400, 'template_disabled', 'Meta disabled the template because of its low quality.')],
  [130429, tooFast(5)],
  [131056, tooFast(6)],
  [131048, tooFast(3_600, false)],
  ...[4, 80007].map((code) => [code, tooFast(60)] as const),
  ...[131049, 130472].map((code) => [code, undelivered] as const),
  ...[131031, 368, 131042, 133010].map((code) => [code, account] as const),
  ...[1, 2, 131000, 131016].map((code) => [code, transient] as const),
])

function findMeaning(code: number | null): Meaning | undefined {
  if (code === null) return undefined
  return code >= 200 && code <= 299 ? credentials : meanings.get(code)
}

const errorOf = (
  { status, code, message, retryable, retryAfter }: Meaning,
  provider_code: number | null,
  facts: { retryAfter?: number | null; upstreamStatus?: number | null } = {},
): MessageError => ({
  code,
  message,
  provider_code,
  retryable,
  status,
  retry_after: status === 429 ? (facts.retryAfter ?? retryAfter ?? null) : null,
  upstream_status: facts.upstreamStatus ?? null,
})

export const toRejection = (refusal: Meaning): MessageError => errorOf(refusal, null)

export const toReportedError = (code: number | null): MessageError =>
  errorOf(findMeaning(code) ?? meaning(502, 'upstream_error', 'WhatsApp could not deliver this message.'), code)

/** Maps a failed request of an organisation’s own number. If its credentials are rejected, the error names this. */
export function toOwnNumberError(error: CloudApiError): MessageError {
  const failure = toMessageError(error)
  const isRefused = failure.message === credentials.message || failure.message === account.message
  const facts = { upstreamStatus: error.httpStatus }
  return isRefused ? errorOf(ownCredentials, error.code, facts) : failure
}

export function toMessageError(error: CloudApiError): MessageError {
  const facts = { retryAfter: error.retryAfter, upstreamStatus: error.httpStatus }
  if (error.outcome === 'not_configured') {
    return errorOf(meaning(503, 'not_configured', 'No WhatsApp business number is configured.'), null)
  }
  if (error.outcome === 'unknown') {
    const message = 'WhatsApp did not respond, so the message may have been sent. A later webhook updates its status.'
    return errorOf({ ...transient, message }, error.code, facts)
  }
  const known = findMeaning(error.code)
  if (known) return errorOf(known, error.code, facts)
  if (error.httpStatus === 429) return errorOf(tooFast(5), error.code, facts)
  const refused = error.httpStatus === 401 || error.httpStatus === 403
  if (refused) return errorOf(credentials, error.code, facts)
  const isOurs = error.outcome === 'refused' && (error.httpStatus ?? 500) < 500
  return errorOf(
    isOurs ? { ...transient, message: 'WhatsApp rejected the message.', retryable: false } : transient,
    error.code,
    facts,
  )
}

/** Failures that a template would also have, because the number, the rate or the recipient is the cause. */
const withoutFallback = new Set([
  'not_configured',
  'provider_not_configured',
  'number_removed',
  'number_refused',
  'file_not_clean',
  'recipient_unreachable',
  'recipient_opted_out',
  'not_delivered',
])

/** True if a template can replace a free-form message that failed with this error. */
export function canFallBack({ status, code, provider_code, retryable }: MessageError): boolean {
  if (status === 429 || retryable || withoutFallback.has(code)) return false
  // An unknown code may mean that the window is closed, because Meta changes these codes.
  return status === 400 || findMeaning(provider_code) === undefined
}
