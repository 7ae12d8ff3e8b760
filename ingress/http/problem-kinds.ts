import { Problem, unavailable } from '#lib/errors.ts'

/** A problem of a resource's own: `throw assetNotReady('The asset is processing.')`, `problems: [assetNotReady]`. */
export interface ProblemKind {
  /** The problem itself; `message` is for people, `details` for programs. */
  (message: string, details?: unknown): Problem
  readonly status: number
  readonly code: string
  /** When it is answered, for the documents. */
  readonly when: string
}

/** Declares a problem, once, beside the resource that throws it. */
export function problem(status: number, code: string, when: string): ProblemKind {
  return Object.assign((message: string, details?: unknown) => new Problem(status, code, message, { details }), {
    status,
    code,
    when,
  })
}

/** The organisation's own hard limit; `budgetReached` (tasks/account/rules) makes it. */
export const ownBudget = problem(
  429,
  'budget_reached',
  'The organisation’s own hard limit is reached: `details` tells metric, limit, used and resets_at.',
)

/** No worker answered in the time that a request waits. */
export const noAnswerInTime = problem(
  504,
  'server_error',
  'The answer took too long; the same request may be sent again.',
)

/** Its owner, or an operator, has closed it: all its keys are refused. */
export const organisationClosed = problem(403, 'organisation_closed', 'The organisation is closed.')

/** It moves to another cell: for seconds nothing of it is answered, so that nothing is lost. */
export const organisationMoving = (): Problem =>
  unavailable('The organisation is being moved to another cell; the same request may be sent again.', 3)

/** Problems with a meaning of their own everywhere: what documents say of them. */
export const standardProblems = {
  bad_request: { status: 400, when: 'The request is malformed; every field at fault is named.' },
  unauthorized: {
    status: 401,
    when: 'No API key, or one that is unknown or revoked (`key_expired`: one that has ended).',
  },
  forbidden: { status: 403, when: 'The key may not do this.' },
  not_found: { status: 404, when: 'No such thing, or it belongs to somebody else.' },
  conflict: {
    status: 409,
    when: 'The state of things, or an idempotency key that stood for another request, forbids this.',
  },
  payload_too_large: { status: 413, when: 'The body is too large.' },
  unsupported_media_type: { status: 415, when: 'The body is not JSON in UTF-8.' },
  rate_limited: { status: 429, when: 'Too many requests.' },
  server_error: { status: 500, when: 'A fault of ours; the request may be sent again.' },
  upstream_error: { status: 502, when: 'A service behind this one failed.' },
} as const

/** A problem a route may answer with: a standard code, or one of its area's own. */
export type DeclaredProblem = keyof typeof standardProblems | ProblemKind
