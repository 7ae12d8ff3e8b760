import type { Problem } from '#lib/errors.ts'
import { errorBody } from '../http/problems.ts'

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

/** Returns an error body in Anthropic's format. The body also contains Millrace’s fields. */
export function anthropicErrorBody(problem: Problem, requestId: string) {
  const { error } = errorBody(problem, requestId)
  const type = types[problem.status] ?? (problem.status < 500 ? 'invalid_request_error' : 'api_error')
  return { type: 'error', error: { ...error, type }, request_id: requestId }
}
