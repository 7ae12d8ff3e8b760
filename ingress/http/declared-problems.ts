import { searchTooBroad } from './limits/searches.ts'
import { type DeclaredProblem, organisationClosed, problem, standardProblems } from './problem-kinds.ts'
import type { Route } from './route.ts'

const backlogFull = problem(
  429,
  'rate_limited',
  'Too many requests, or the organisation’s waiting jobs have reached the plan’s limit. `details` then contains `pool` and `limit`.',
)

const away = problem(503, 'server_error', 'A required service is unavailable.')

interface ProblemEntry {
  status: number
  code: string
  when: string
}

export function getDeclaredProblems(route: Route): ProblemEntry[] {
  const found: DeclaredProblem[] = ['bad_request']
  if (route.body) found.push('payload_too_large', 'unsupported_media_type')
  if (!route.public) found.push('unauthorized', 'forbidden', organisationClosed)
  if (!route.public || route.limit) found.push('rate_limited')
  if (route.search) found.push(searchTooBroad)
  if (route.enqueues) found.push(backlogFull)
  if (route.idempotent) found.push('conflict')
  found.push(...(route.problems ?? []), 'server_error', away)
  return found.map((one) => (typeof one === 'string' ? { code: one, ...standardProblems[one] } : one))
}
