import { parseRetryAfter } from '#lib/retry.ts'
import { AuthorityFault } from '#tasks/video/rules/domains/certificate-authority.ts'

/** Error document of an ACME server (RFC 8555 §6.7). */
interface Complaint {
  type?: string
  detail?: string
  subproblems?: Complaint[]
}

interface Answer {
  status: number
  data: unknown
  headers: { [name: string]: unknown }
}

const prefix = 'urn:ietf:params:acme:error:'

const sentences: Record<string, string> = {
  caa: 'A CAA record of the domain forbids this certificate authority',
  connection: 'The certificate authority could not reach the domain over HTTP, port 80',
  dns: 'The certificate authority could not look up the domain',
  incorrectResponse:
    'The certificate authority reached the domain, but not this service: the domain points to another server',
  unauthorized:
    'The certificate authority reached the domain, but not this service: the domain points to another server',
  rejectedIdentifier: 'The certificate authority does not sign for this name',
  rateLimited: 'The certificate authority’s limit has been reached',
  tls: 'The certificate authority was redirected to HTTPS and could not connect',
}

const maxDetail = 300

/** Longest accepted `Retry-After` in seconds: one week. Rate limits of a certificate authority last for days. */
const longestRetryAfter = 7 * 86_400

/**
 * Returns the fault of a response, or undefined if the response is not an error. The library retries after a stale
 * nonce (RFC 8555 §6.5).
 */
export function toAuthorityFault({ status, data, headers }: Answer): AuthorityFault | undefined {
  if (status < 400) return undefined
  const complaint = (typeof data === 'object' && data !== null ? data : {}) as Complaint
  const type = typeOf(complaint)
  if (type === 'badNonce') return undefined
  const seconds = parseRetryAfter(headers['retry-after'] as string | undefined, { most: longestRetryAfter })
  const retryMs = seconds ? seconds * 1000 : undefined
  if (type === 'rateLimited' || status === 429) return new AuthorityFault('limited', sentenceOf(complaint), { retryMs })
  if (type === 'accountDoesNotExist')
    return new AuthorityFault('stranger', 'Millrace creates a new account.', { retryMs })
  if (status === 404) return new AuthorityFault('lost', 'The order has ended. Millrace creates another order.')
  if (status >= 500) return new AuthorityFault('away', 'The certificate authority is unavailable.', { retryMs })
  return new AuthorityFault('refused', sentenceOf(complaint), { retryMs })
}

/** Returns the error that the authority found. The failed state of the order does not contain the cause. */
export function explainOrder(
  order: { error?: unknown },
  authorizations: readonly { challenges: readonly { error?: unknown }[] }[],
): AuthorityFault {
  const found = authorizations.flatMap(({ challenges }) => challenges.flatMap(({ error }) => (error ? [error] : [])))
  const complaint = (found[0] ?? order.error ?? {}) as Complaint
  return new AuthorityFault(typeOf(complaint) === 'rateLimited' ? 'limited' : 'refused', sentenceOf(complaint))
}

const typeOf = ({ type = '' }: Complaint) => (type.startsWith(prefix) ? type.slice(prefix.length) : type)

function sentenceOf(complaint: Complaint): string {
  const sentence = sentences[typeOf(complaint)] ?? 'The certificate authority rejected the order'
  const detail = (complaint.subproblems?.[0]?.detail ?? complaint.detail ?? '').replaceAll(/\s+/g, ' ').trim()
  return detail ? `${sentence}: ${detail.slice(0, maxDetail)}` : `${sentence}.`
}
