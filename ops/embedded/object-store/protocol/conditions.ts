import { S3Error } from './errors.ts'

export interface State {
  readonly etag: string
  readonly modified: number
}

/** Evaluates the conditions of a GET or HEAD in the order of RFC 9110, 13.2.2. Returns true for 304 Not Modified. */
export function checkRead(headers: ReadonlyMap<string, string>, state: State): boolean {
  const match = headers.get('if-match')
  if (match !== undefined ? !listsEtag(match, state.etag) : isAfter(state, headers.get('if-unmodified-since')))
    throw failed(match !== undefined ? 'If-Match' : 'If-Unmodified-Since')
  const noneMatch = headers.get('if-none-match')
  if (noneMatch !== undefined) return listsEtag(noneMatch, state.etag)
  const since = headers.get('if-modified-since')
  return since !== undefined && !Number.isNaN(Date.parse(since)) && !isAfter(state, since)
}

const sourcePrefix = 'x-amz-copy-source-if-'

export function checkCopy(headers: ReadonlyMap<string, string>, state: State): void {
  const plain = new Map<string, string>()
  for (const [name, value] of headers)
    if (name.startsWith(sourcePrefix)) plain.set(`if-${name.slice(sourcePrefix.length)}`, value)
  if (checkRead(plain, state)) throw failed(`${sourcePrefix}*`)
}

/** Evaluates `If-None-Match: *` and `If-Match` of a write against the current object. */
export function checkWrite(headers: ReadonlyMap<string, string>, state: State | undefined): void {
  const noneMatch = headers.get('if-none-match')
  if (noneMatch !== undefined && noneMatch !== '*')
    throw new S3Error('NotImplemented', 'A write supports only If-None-Match with the value *.')
  if (noneMatch !== undefined && state) throw failed('If-None-Match')
  const match = headers.get('if-match')
  if (match === undefined) return
  if (!state) throw new S3Error('NoSuchKey', 'The specified key does not exist.')
  if (!listsEtag(match, state.etag)) throw failed('If-Match')
}

export function listsEtag(list: string, etag: string): boolean {
  return list.split(',').some((item) => ['*', etag].includes(item.trim().replace(/^(?:W\/)?"(.*)"$/, '$1')))
}

function isAfter({ modified }: State, date: string | undefined): boolean {
  return Math.floor(modified / 1000) * 1000 > Date.parse(date ?? '')
}

function failed(condition: string): S3Error {
  return new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
    details: { Condition: condition },
  })
}
