import type { Import } from '#sql/video/imports.ts'
import { ImportFault } from './fault.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

/**
 * Returns the headers of a request for the whole file, or for the missing bytes if the file is unchanged (RFC 9110
 * §13.1.5, §14.2).
 */
export function headersFor({ received, validator }: Pick<Import, 'received' | 'validator'>): Record<string, string> {
  // An encoded response cannot be resumed.
  const plain = { 'accept-encoding': 'identity' }
  if (received === 0 || validator === null) return plain
  return { ...plain, range: `bytes=${received}-`, 'if-range': validator }
}

export interface SourceFile {
  from: number
  /** Size of the file in bytes. `null` if the server does not report it. */
  total: number | null
  /** Identifies the file version; `null` if the download cannot be resumed. */
  validator: string | null
}

/** Reads a 200 or 206 response; throws if its range is not the requested one. */
export function readSourceFile(status: number, headers: Headers): SourceFile {
  if (status === 206) {
    const [, from, total] =
      /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(first(headers['content-range']) ?? '') ?? []
    if (from === undefined || total === undefined)
      throw new ImportFault('url_rejected', 'The server of the URL returned an invalid range.')
    return { from: Number(from), total: total === '*' ? null : Number(total), validator: validatorOf(headers) }
  }
  const coded = (first(headers['content-encoding']) ?? 'identity') !== 'identity'
  const length = Number(first(headers['content-length']) ?? Number.NaN)
  const ranges = first(headers['accept-ranges']) === 'bytes'
  return {
    from: 0,
    total: !coded && Number.isSafeInteger(length) ? length : null,
    validator: coded || !ranges ? null : validatorOf(headers),
  }
}

/**
 * Returns a strong entity tag, or a date at least a minute older than the response. No other validator allows resuming
 * (RFC 9110 §13.1.5, §8.8.2.2).
 */
function validatorOf(headers: Headers): string | null {
  const tag = first(headers.etag)
  if (tag !== undefined) return /^"[\x21\x23-\x7e]{0,500}"$/.test(tag) ? tag : null
  const [modified, at] = [first(headers['last-modified']), first(headers.date)].map((text) => Date.parse(text ?? ''))
  const isOld = modified !== undefined && at !== undefined && at - modified >= 60_000
  return isOld ? (first(headers['last-modified']) ?? null) : null
}

const MiB = 1024 ** 2

/** Returns the size of the parts in bytes: up to 10,000 parts, none smaller than the 5 MiB that S3 requires. */
export const partBytesFor = (total: number | null): number =>
  total === null ? 16 * MiB : Math.max(8 * MiB, Math.ceil(total / 9_000 / MiB) * MiB)
