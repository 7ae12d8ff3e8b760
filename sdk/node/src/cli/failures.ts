import { APIError, MillraceError } from '../errors.ts'
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
  const lines = [`${program}: ${clean(messageOf(failure))}`]
  if (failure instanceof APIError) lines.push(...apiLines(failure))
  if (failure instanceof UsageError)
    lines.push('', `See ${[program, failure.command].filter(Boolean).join(' ')} --help.`)
  return `${lines.join('\n')}\n`
}

/** Returns a line for each invalid field, the request ID, and the next step. */
function apiLines(failure: APIError): string[] {
  const { details, requestId, message } = failure
  const fields = Array.isArray(details) ? (details as { field?: unknown; issue?: unknown }[]) : []
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
  if (status === 401) return [`  Log in again: ${program} login`]
  if (status !== 403) return []
  const listed = (details as { scopes?: unknown } | undefined)?.scopes
  const named = /`([a-z]+:[a-z]+)` scope/.exec(message)?.[1]
  const given = Array.isArray(listed) ? listed.map(String) : named ? [named] : []
  // The line is a command that a person copies into a shell.
  const scopes = given.filter((scope) => /^[a-z]+:[a-z]+$/.test(scope))
  return scopes.length === 0
    ? []
    : [`  Log in again with this scope: ${program} login --add-scopes ${scopes.join(',')}`]
}

function messageOf(failure: unknown): string {
  if (failure instanceof MillraceError) return failure.message
  if (failure instanceof Error) return `Unexpected error: ${failure.message}`
  return `Unexpected error: ${String(failure)}`
}
