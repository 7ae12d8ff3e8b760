import type { Fault, Problem } from '#lib/errors.ts'
import { errorBody } from '../http/problems.ts'

const words: Readonly<Record<string, string>> = {
  unauthorized: 'invalid_api_key',
  input_too_long: 'context_length_exceeded',
  token_budget_exceeded: 'insufficient_quota',
  budget_reached: 'insufficient_quota',
  key_budget_exceeded: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
}

function getErrorType({ status, code }: Problem): string {
  if (words[code] === 'insufficient_quota') return 'insufficient_quota'
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}

/** Returns an error body in OpenAI's format. The body also contains the fields of our own format. */
export function openAiErrorBody(problem: Problem, requestId: string) {
  const { error } = errorBody(problem, requestId)
  return {
    error: {
      ...error,
      code: words[problem.code] ?? problem.code,
      type: getErrorType(problem),
      param: getInvalidParam(problem),
    },
  }
}

function getInvalidParam({ details }: Problem): string | null {
  if (typeof details === 'object' && details !== null && 'param' in details) return String(details.param)
  if (!Array.isArray(details)) return null
  const [fault]: Fault[] = details
  return fault?.field.replace('body.', '') ?? null
}
