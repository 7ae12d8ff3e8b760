/** Thrown where a content cannot be examined to its end: it is malformed, hidden, or more than the limits allow. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: 'suspicious' | 'unscannable'
  readonly code: string

  constructor(status: 'suspicious' | 'unscannable', code: string, detail: string) {
    super(detail)
    this.status = status
    this.code = code
  }
}

/** An archive that two tools may read in two ways, or that does not hold what it says. */
export const malformed = (detail: string): Refusal => new Refusal('suspicious', 'malformed_archive', detail)

/** A content that is whole as far as one can see, and cannot be read. */
export const unreadable = (code: string, detail: string): Refusal => new Refusal('unscannable', code, detail)

export const damaged = (): Refusal =>
  unreadable('malformed_archive', 'The archive is damaged, truncated, or followed by other data.')
export const encrypted = (): Refusal => unreadable('encrypted', 'The archive or one of its entries is encrypted.')
export const split = (): Refusal => unreadable('split_archive', 'The file is a part of a split archive.')
export const unknown = (): Refusal =>
  unreadable('unsupported_archive', 'The archive has parts, or a packing, that only some tools support.')
