import type { Fault } from '#lib/errors.ts'
import type { Json } from '../../http/openapi/schemas.ts'

/** The result of a tool in the form of the protocol. */
export interface ToolResult {
  content: { type: 'text'; text: string }[]
  structuredContent?: Json
  isError?: true
  [key: string]: unknown
}

export interface ToolReply {
  status: number
  type: string
  text: string
  retryAfter: string | undefined
}

/** Maximum number of characters of a result. Most clients reject larger results. */
export const longestResult = 60_000

const textResult = (text: string): ToolResult => ({ content: [{ type: 'text', text }] })

const errorResult = (text: string, error: Json): ToolResult => ({
  ...textResult(text),
  structuredContent: { error },
  isError: true,
})

/** Converts the response of an operation to the result of its tool. */
export function toResult({ status, type, text, retryAfter }: ToolReply, isList: boolean): ToolResult {
  if (status >= 400) return failedResult(status, readJson(type, text), retryAfter)
  if (text === '') return textResult('Done.')
  if (text.length > longestResult) return textResult(shortened(text, isList))
  const json = readJson(type, text)
  return json ? { ...textResult(text), structuredContent: json } : textResult(text)
}

/** Returns the result for arguments that cannot be sent to the operation. */
export function invalidArguments(faults: readonly Fault[]): ToolResult {
  const message = faults.map(({ field, issue }) => `${field}: ${issue}`).join('; ')
  return errorResult(message, { code: 'bad_request', message, details: faults })
}

interface ErrorFields {
  code?: string
  message?: string
  details?: unknown
  request_id?: string
}

function failedResult(status: number, body: Json | undefined, retryAfter: string | undefined): ToolResult {
  const given = (body?.error ?? {}) as ErrorFields
  const { code = 'server_error', message = `The operation returned ${status}.`, details, request_id } = given
  const faults = Array.isArray(details) ? (details as Fault[]) : []
  const words = withoutPlaces(message, faults)
  const wait = retryAfter ? ` Retry after ${retryAfter} seconds.` : ''
  const request = request_id ? `, request ${request_id}` : ''
  return errorResult(`${words}${wait} (${code}, HTTP ${status}${request})`, {
    status,
    code,
    message: words,
    ...(details !== undefined && { details: Array.isArray(details) ? faults.map(withoutPlace) : details }),
    ...(request_id && { request_id }),
    ...(retryAfter && { retry_after: Number(retryAfter) }),
  })
}

/** The arguments of a tool are in one object, so their names have no `body.`, `query.` or `path.`. */
const plainName = (field: string): string => field.replace(/^(body|query|path)\.(?=.)/, '')

const withoutPlace = (fault: Fault): Fault =>
  typeof fault?.field === 'string' ? { ...fault, field: plainName(fault.field) } : fault

const withoutPlaces = (message: string, faults: readonly Fault[]): string =>
  faults.reduce(
    (text, { field, issue } = { field: '', issue: '' }) =>
      typeof field === 'string' ? text.replace(`${field}: ${issue}`, `${plainName(field)}: ${issue}`) : text,
    message,
  )

function shortened(text: string, isList: boolean): string {
  const shown = text.slice(0, longestResult).toWellFormed()
  const advice = isList
    ? 'To get complete items, call the tool again with a smaller `limit`, or with a filter.'
    : 'The rest is available through the HTTP API.'
  return `The result has ${text.length} characters. Only the first ${longestResult} follow. ${advice}\n\n${shown}`
}

function readJson(type: string, text: string): Json | undefined {
  if (!type.includes('json')) return undefined
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
}
