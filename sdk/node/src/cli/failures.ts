import { APIError, ConnectionError, MillraceError } from '../errors.ts'
import { setting } from '../transport.ts'
import { exitStatus } from './exit-status.ts'
import { program } from './help.ts'
import { clean, jsonText } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Prints an error to the standard error. Returns the exit status. */
export function reportFailure(failure: unknown, json: boolean): number {
  process.stderr.write(json ? `${jsonText(asJson(failure))}\n` : asText(failure))
  return failure instanceof UsageError ? exitStatus.usage : exitStatus.failed
}

function asJson(failure: unknown): object {
  const message = clean(messageOf(failure))
  if (!(failure instanceof APIError)) {
    return { error: { code: failure instanceof UsageError ? 'usage' : 'client_error', message } }
  }
  const { status, code, details, requestId: request_id } = failure
  return { error: { status, code, message, details, request_id } }
}

function asText(failure: unknown): string {
  const lines = [`${program}: ${clean(shortMessageOf(failure))}`]
  if (failure instanceof APIError) lines.push(...apiLines(failure))
  if (failure instanceof ConnectionError) lines.push('  Check the URL of the server and the network.')
  if (failure instanceof UsageError)
    lines.push('', `See ${[program, failure.command].filter(Boolean).join(' ')} --help.`)
  return `${lines.join('\n')}\n`
}

/** Returns the message. If several fields are invalid, returns their number, because each has its own line. */
function shortMessageOf(failure: unknown): string {
  const count = failure instanceof APIError ? invalidFields(failure).length : 0
  return count > 1 ? `The API rejected the request. ${count} fields are invalid.` : messageOf(failure)
}

const invalidFields = ({ details }: APIError) =>
  Array.isArray(details) ? (details as { field?: unknown; issue?: unknown }[]) : []

/** Returns a line for each invalid field, the request ID, and the next step. */
function apiLines(failure: APIError): string[] {
  const { requestId, message } = failure
  const fields = invalidFields(failure)
  const [only] = fields.length === 1 ? fields : []
  // The message of the API already has a single field.
  const isShown = only !== undefined && message.startsWith(String(only.field))
  return [
    ...(isShown ? [] : fields).map(({ field, issue }) => `  ${clean(field)} ${clean(issue)}`),
    ...nextStep(failure),
    ...(requestId ? [`  Request: ${clean(requestId)}`] : []),
  ]
}

function nextStep({ status, message, details }: APIError): string[] {
  const variable = isEnvironmentKey() ? 'MILLRACE_API_KEY' : undefined
  if (status === 401)
    return [
      variable
        ? `  Replace the key in ${variable}, or unset it and log in again: ${program} login`
        : `  Log in again: ${program} login`,
    ]
  if (status !== 403) return []
  const listed = (details as { scopes?: unknown } | undefined)?.scopes
  const named = /`([a-z]+:[a-z]+)` scope/.exec(message)?.[1]
  const given = Array.isArray(listed) ? listed.map(String) : named ? [named] : []
  // The line is a command that a person copies into a shell.
  const scopes = given.filter((scope) => /^[a-z]+:[a-z]+$/.test(scope))
  if (scopes.length === 0) return []
  const logIn = `${program} login --add-scopes ${scopes.join(',')}`
  return [
    variable
      ? `  Replace the key in ${variable}, or unset it and log in again with this scope: ${logIn}`
      : `  Log in again with this scope: ${logIn}`,
  ]
}

/** True if the variable has the key of this command. `--profile` replaces the variable. */
const isEnvironmentKey = () =>
  setting('MILLRACE_API_KEY') !== undefined && !process.argv.some((arg) => /^--(profile|with-key)\b/.test(arg))

function messageOf(failure: unknown): string {
  if (failure instanceof MillraceError) return failure.message
  if (failure instanceof Error) return `Unexpected error: ${failure.message}`
  return `Unexpected error: ${String(failure)}`
}
