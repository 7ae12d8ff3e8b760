import { Problem } from '#lib/errors.ts'

/** A part of a body in `multipart/form-data` (RFC 7578). */
export interface FormPart {
  name: string
  /** Undefined for a field that is not a file. */
  filename: string | undefined
  contentType: string | undefined
  bytes: Buffer
}

/** Maximum number of parts, and of bytes of the headers of a part. */
const [mostParts, mostHeaderBytes] = [20, 4_096]

const malformed = (why: string) => new Problem(400, 'bad_request', `The body is not valid multipart/form-data: ${why}.`)

/** Returns the parts of a body. They share its memory. Throws 400 if it is malformed, and 415 for other types. */
export function parseFormParts(body: Buffer, contentType: string | undefined): FormPart[] {
  const boundary = readBoundary(contentType)
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const parts: FormPart[] = []
  // The first delimiter has no line break before it if the body starts with it.
  let at = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2)) ? delimiter.length - 2 : -1
  if (at < 0) at = after(body.indexOf(delimiter), delimiter, 'the boundary is missing')
  while (body.toString('latin1', at, at + 2) !== '--') {
    if (parts.length === mostParts) throw malformed(`it has more than ${mostParts} parts`)
    if (body.toString('latin1', at, at + 2) !== '\r\n') throw malformed('a boundary has no line break after it')
    const end = body.indexOf(delimiter, at)
    if (end < 0) throw malformed('the last boundary is missing')
    parts.push(readPart(body.subarray(at + 2, end)))
    at = end + delimiter.length
  }
  return parts
}

function after(index: number, delimiter: Buffer, why: string): number {
  if (index < 0) throw malformed(why)
  return index + delimiter.length
}

function readBoundary(contentType = ''): string {
  const [type = '', ...parameters] = contentType.split(';')
  if (type.trim().toLowerCase() !== 'multipart/form-data')
    throw new Problem(415, 'unsupported_media_type', 'The body must be multipart/form-data.')
  const boundary = readParameter(parameters, 'boundary')
  if (!boundary || boundary.length > 70) throw malformed('the content type has no boundary of 1 to 70 characters')
  return boundary
}

/** Returns the value of a parameter, without quotes. A semicolon in quotes is part of a file name. */
function readParameter(parameters: readonly string[], name: string): string | undefined {
  for (const [i, parameter] of parameters.entries()) {
    const equals = parameter.indexOf('=')
    if (equals < 0 || parameter.slice(0, equals).trim().toLowerCase() !== name) continue
    const value = [parameter.slice(equals + 1).trim(), ...parameters.slice(i + 1)].join(';')
    if (!value.startsWith('"')) return value.split(';')[0]?.trim()
    const end = value.indexOf('"', 1)
    return end < 0 ? undefined : value.slice(1, end)
  }
  return undefined
}

function readPart(part: Buffer): FormPart {
  const end = part.indexOf('\r\n\r\n')
  if (end < 0 || end > mostHeaderBytes) throw malformed('a part has no headers, or its headers are too long')
  const headers = new Map(
    part
      .toString('utf8', 0, end)
      .split('\r\n')
      .map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const
      }),
  )
  const [kind = '', ...parameters] = (headers.get('content-disposition') ?? '').split(';')
  const name = readParameter(parameters, 'name')
  if (kind.trim().toLowerCase() !== 'form-data' || name === undefined) throw malformed('a part has no name')
  // Browsers and `fetch` escape quotes and line breaks in names (WHATWG, multipart/form-data encoding).
  const filename = readParameter(parameters, 'filename')?.replaceAll('%22', '"')
  return { name, filename, contentType: headers.get('content-type'), bytes: part.subarray(end + 4) }
}
