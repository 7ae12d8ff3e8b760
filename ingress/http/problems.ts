import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  IdleTransactionTimeoutError,
  StatementTimeoutError,
} from 'slonik'
import { Problem, unavailable } from '#lib/errors.ts'
import { isClosedOrganisationError } from '#sql/account/closures.ts'
import { DatabaseUnavailableError } from './database/acquire-timeout.ts'
import { organisationClosed } from './problem-kinds.ts'

export interface ErrorBody {
  error: { code: string; message: string; details?: unknown; request_id: string }
}

const awayClasses = [
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  IdleTransactionTimeoutError,
  StatementTimeoutError,
]

/**
 * Error codes that mean an unavailable service. Postgres: 08 connection, 40 rolled back repeatedly, 53 resources, 55P03
 * lock, 57P shutdown, 57014 timeout, 25006 read-only after a failover. MR001 means that the organisation is being
 * moved. The other codes mean that the network is unreachable.
 */
const awayCodes =
  /^(08...|40...|53...|55P03|57P..|57014|25006|MR001|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE)$/

export function isServiceUnavailable(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (awayClasses.some((kind) => e instanceof kind)) return true
    if ('code' in e && typeof e.code === 'string' && awayCodes.test(e.code)) return true
    if (
      /timeout expired|timeout exceeded when trying to connect|pool (has ended|is being terminated)/.test(e.message)
    ) {
      return true
    }
  }
  return false
}

/** True if an error means that the database is unavailable. False if the database only has no free connections. */
export const isDatabaseUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseUnavailableError || isServiceUnavailable(error)

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isClosedOrganisationError(error)) return organisationClosed('This organisation is closed.')
  if (isServiceUnavailable(error))
    return unavailable('The service is temporarily unavailable. Retry the same request.', 1)
  return new Problem(500, 'server_error', 'Internal error. Retry the same request.')
}

export function errorBody(problem: Problem, requestId: string): ErrorBody {
  const { code, message, details } = problem
  return { error: { code, message, ...(details === undefined ? {} : { details }), request_id: requestId } }
}
