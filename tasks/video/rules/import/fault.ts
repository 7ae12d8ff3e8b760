import { OutboundError, type OutboundFault } from '#lib/network/address-guard.ts'

export type ImportFaultCode =
  | 'url_refused'
  | 'url_rejected'
  | 'url_unreachable'
  | 'url_changed'
  | 'too_large'
  | 'storage_full'
  | 'empty'
  | 'too_slow'

/** Thrown if an import failed. `message` is for the asset’s owner. */
export class ImportFault extends Error {
  override name = 'ImportFault'
  readonly code: ImportFaultCode

  constructor(code: ImportFaultCode, message: string) {
    super(message)
    this.code = code
  }
}

/** A connection without new bytes. It is retried, after at least `after` seconds if the server requests it. */
export class TransientFetchError extends Error {
  override name = 'TransientFetchError'
  readonly after: number

  constructor(message: string, after = 0) {
    super(message)
    this.after = after
  }
}

const passing = new Set<OutboundFault>(['timed_out', 'connection_failed', 'unresolved'])

export class SlowServerError extends TransientFetchError {
  override name = 'SlowServerError'

  constructor(bytes: number, ms: number, least: number) {
    const rate = (each: number) => `${Math.round(each / 1.024 / ms)} KiB per second`
    super(`The server of the URL sent ${rate(bytes)}. It must send at least ${rate(least)}.`)
  }
}

/** Converts a request error to an import error; throws other errors. */
export function toImportError(error: unknown): ImportFault | TransientFetchError {
  if (error instanceof ImportFault || error instanceof TransientFetchError) return error
  if (!(error instanceof OutboundError)) throw error
  const wording = `The URL could not be fetched: ${error.message}`
  if (error.code === 'too_large') return new ImportFault('too_large', 'The file is larger than your plan allows.')
  // The error must not reveal whether a name resolves to a rejected address, so both cases are retried.
  return passing.has(error.shown) ? new TransientFetchError(wording) : new ImportFault('url_refused', wording)
}

/** Statuses after which the same request may work later (RFC 9110 §15.5.9, §15.6; RFC 6585 §4). */
const later = new Set([408, 425, 429, 500, 502, 503, 504])

/** Throws if the response contains no bytes of the file. */
export function requireBytes(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
  if (status === 200 || status === 206) return
  if (!later.has(status)) throw new ImportFault('url_rejected', `The server of the URL returned ${status}.`)
  const seconds = Number(headers['retry-after'])
  throw new TransientFetchError(`The server of the URL returned ${status}.`, Number.isFinite(seconds) ? seconds : 0)
}
