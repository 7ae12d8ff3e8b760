import { RefusalError } from '../inbound/refusal.ts'

/** A reply line has at most 512 octets (RFC 5321 §4.5.3.1.5). */
const longest = 400

interface ErrorBody {
  error?: { message?: string; code?: string; details?: unknown }
}

/** Returns the SMTP reply for an error response of the API, with the same text. */
export function replyTo(status: number, body: string, { isSignIn = false } = {}): RefusalError {
  return new RefusalError(codeOf(status, isSignIn), asLine(textOf(body)))
}

function codeOf(status: number, isSignIn: boolean): number {
  if (status === 429 || status >= 500) return isSignIn ? 454 : 451
  if (status === 401 || isSignIn) return 535
  if (status === 413) return 552
  return 550
}

function textOf(body: string): string {
  const { error } = parse(body)
  const message = error?.message ?? 'Try again later'
  const details = Array.isArray(error?.details) ? (error.details as { field?: string; issue?: string }[]) : []
  // The message of most field errors has the fields.
  const issues = details.flatMap(({ field, issue }) =>
    field && issue && !message.includes(field) ? [`${field} ${issue}`] : [],
  )
  return [message, ...issues].join('; ')
}

function parse(body: string): ErrorBody {
  try {
    return JSON.parse(body) as ErrorBody
  } catch {
    return {}
  }
}

/** Replies are ASCII, because SMTPUTF8 is not supported (RFC 6531 §3.5). */
const asLine = (text: string) =>
  text
    .replace(/[‘’]/g, "'")
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, longest)
