import { Problem, unavailable } from '#lib/errors.ts'

/**
 * A problem of a resource. Throw it with `throw assetNotReady('The asset is processing.')`, and declare it with
 * `problems: [assetNotReady]`.
 */
export interface ProblemKind {
  (message: string, details?: unknown): Problem
  readonly status: number
  readonly code: string
  readonly when: string
}

export function problem(status: number, code: string, when: string): ProblemKind {
  return Object.assign((message: string, details?: unknown) => new Problem(status, code, message, { details }), {
    status,
    code,
    when,
  })
}

export const ownBudget = problem(
  429,
  'budget_reached',
  'The organisation’s hard limit has been reached. `details` contains `metric`, `limit`, `used` and `resets_at`.',
)

export const noAnswerInTime = problem(504, 'server_error', 'The response took too long. Retry the same request.')

export const organisationClosed = problem(403, 'organisation_closed', 'The organisation is closed.')

export const organisationMoving = (): Problem =>
  unavailable('The organisation is being moved to another cell. Retry the same request.', 3)

export const standardProblems = {
  bad_request: { status: 400, when: 'The request is invalid. `details` contains every invalid field.' },
  unauthorized: {
    status: 401,
    when: 'The API key is missing, unknown or revoked. If the key has expired, the code is `key_expired`.',
  },
  forbidden: { status: 403, when: 'The API key does not have permission for this.' },
  not_found: { status: 404, when: 'The object does not exist or belongs to another organisation.' },
  conflict: {
    status: 409,
    when: 'The current state does not allow this, or the idempotency key was used for a different request.',
  },
  payload_too_large: { status: 413, when: 'The body is too large.' },
  unsupported_media_type: { status: 415, when: 'The body is not UTF-8 JSON.' },
  rate_limited: { status: 429, when: 'Too many requests.' },
  server_error: { status: 500, when: 'Internal error. Retry the request.' },
  upstream_error: { status: 502, when: 'An upstream service failed.' },
} as const

export type DeclaredProblem = keyof typeof standardProblems | ProblemKind
