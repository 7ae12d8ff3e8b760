import { setImmediate as breathe } from 'node:timers/promises'
import { badRequest, Problem } from '#lib/errors.ts'

export interface FormPart {
  name: string
  /** `null` for a field that is not a file. */
  filename: string | null
  /** Content type. `null` if the part has none. */
  type: string | null
  data: Buffer
}

/** Maximum number of parts, and of bytes in the headers of a part. */
const [mostParts, mostHeaderBytes] = [32, 4_096]

/** Number of bytes that are searched before other requests run. A search of all bytes could take seconds. */
const windowBytes = 128 * 1024

const invalid = () => badRequest([{ field: 'body', issue: 'must be multipart/form-data' }])

/** Returns the boundary in a content type. Throws 415 if the type is not `multipart/form-data`. */
export function readBoundary(contentType: string): string {
  const [type = '', ...parameters] = contentType.split(';')
  if (type.trim().toLowerCase() !== 'multipart/form-data')
    throw new Problem(415, 'unsupported_media_type', 'The body must be multipart/form-data.')
  const given = parameters.map((one) => one.trim()).find((one) => one.toLowerCase().startsWith('boundary='))
  const boundary = unquote(given?.slice('boundary='.length) ?? '')
  if (boundary === '' || boundary.length > 70) throw invalid()
  return boundary
}

const unquote = (text: string): string => (text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text)

/** Reads the parts of a form (RFC 7578). Throws 400 if the form is invalid. */
export async function readForm(body: Buffer, boundary: string): Promise<FormPart[]> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const first = delimiter.subarray(2)
  const parts: FormPart[] = []
  if (!body.subarray(0, first.length).equals(first)) throw invalid()
  for (let at = first.length; ; ) {
    const next = body.toString('latin1', at, at + 2)
    if (next === '--') return parts
    if (next !== '\r\n' || parts.length === mostParts) throw invalid()
    const end = await findIn(body, delimiter, at)
    if (end < 0) throw invalid()
    parts.push(readPart(body.subarray(at + 2, Math.max(at + 2, end))))
    at = end + delimiter.length
  }
}

async function findIn(body: Buffer, delimiter: Buffer, from: number): Promise<number> {
  for (let at = from; at < body.length; at += windowBytes) {
    const found = body.subarray(at, at + windowBytes + delimiter.length - 1).indexOf(delimiter)
    if (found >= 0) return at + found
    await breathe()
  }
  return -1
}

function readPart(part: Buffer): FormPart {
  const end = part.subarray(0, mostHeaderBytes).indexOf('\r\n\r\n')
  if (end < 0) throw invalid()
  const headers = new Map(
    part
      .toString('utf8', 0, end)
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).trim().toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const [kind, ...parameters] = splitParameters(headers.get('content-disposition') ?? '')
  const find = (name: string) => parameters.find((one) => one.toLowerCase().startsWith(`${name}=`))
  const name = parameterValue(find('name'))
  if (kind?.toLowerCase() !== 'form-data' || name === null) throw invalid()
  // Browsers and `fetch` escape quotes in names (WHATWG, multipart/form-data encoding).
  const filename = parameterValue(find('filename'))?.replaceAll('%22', '"') ?? null
  return { name, filename, type: headers.get('content-type') ?? null, data: part.subarray(end + 4) }
}

const parameterValue = (parameter: string | undefined): string | null =>
  parameter === undefined ? null : unquote(parameter.slice(parameter.indexOf('=') + 1))

/** Splits at semicolons outside quotes. */
function splitParameters(text: string): string[] {
  const parts = ['']
  let isQuoted = false
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted
    if (character === ';' && !isQuoted) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts.map((part) => part.trim())
}
