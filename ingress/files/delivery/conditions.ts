import type { ByteRange } from '#lib/storage/object-streams.ts'
import { matchesEtag } from '../../http/etag.ts'

/** The properties of a response that conditions compare. `modified` has whole seconds. */
export interface Validators {
  etag: string
  modified: Date
}

type ReadHeader = (name: string) => string | undefined

const isSameTime = (header: string, { modified }: Validators): boolean => Date.parse(header) === modified.getTime()

/**
 * True if the client has this version (RFC 9110 §13.1.2 and §13.1.3). A date must be equal: after an infected version,
 * an earlier version is served again, and its date is older than the date of the client's copy.
 */
export function isNotModified(header: ReadHeader, validators: Validators): boolean {
  const known = header('if-none-match')
  if (known !== undefined) return matchesEtag(known, validators.etag)
  const since = header('if-modified-since')
  return since !== undefined && isSameTime(since, validators)
}

/** False if the client demands another version (RFC 9110 §13.1.1). Weak tags never match. */
export function hasDemandedVersion(header: ReadHeader, { etag }: Validators): boolean {
  const demanded = header('if-match')
  if (demanded === undefined) return true
  return demanded.split(',').some((one) => one.trim() === etag || one.trim() === '*')
}

/**
 * Returns the requested part of `bytes` bytes (RFC 9110 §14.2), or `unsatisfiable`. Returns `null` for the whole file: if
 * no part or several parts are requested, the header is invalid, or `If-Range` names another version.
 */
export function selectRange(
  header: ReadHeader,
  validators: Validators,
  bytes: number,
): ByteRange | 'unsatisfiable' | null {
  const asked = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header('range')?.replaceAll(' ', '') ?? '')
  const [, first = '', last = ''] = asked ?? []
  if (first === '' && last === '') return null
  const held = header('if-range')?.trim()
  if (held !== undefined && held !== validators.etag && !isSameTime(held, validators)) return null
  return first === ''
    ? lastBytes(Number(last), bytes)
    : between(Number(first), last === '' ? bytes - 1 : Number(last), bytes)
}

function lastBytes(count: number, bytes: number): ByteRange | 'unsatisfiable' {
  return count === 0 || bytes === 0 ? 'unsatisfiable' : { from: Math.max(0, bytes - count), to: bytes - 1 }
}

function between(from: number, to: number, bytes: number): ByteRange | 'unsatisfiable' | null {
  if (from >= bytes) return 'unsatisfiable'
  return to < from ? null : { from, to: Math.min(to, bytes - 1) }
}
