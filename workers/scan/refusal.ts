/** Thrown if a content cannot be fully examined: it is malformed, hidden, or over the limits. */
export class RefusalError extends Error {
  override name = 'RefusalError'
  readonly status: 'suspicious' | 'unscannable'
  readonly code: string

  constructor(status: 'suspicious' | 'unscannable', code: string, detail: string) {
    super(detail)
    this.status = status
    this.code = code
  }
}

/** Creates the refusal of an archive that contradicts itself or that tools can read in different ways. */
export const malformed = (detail: string): RefusalError => new RefusalError('suspicious', 'malformed_archive', detail)

/** Creates the refusal of a content that seems complete but cannot be read. */
export const unreadable = (code: string, detail: string): RefusalError => new RefusalError('unscannable', code, detail)

export const damaged = (): RefusalError =>
  unreadable('malformed_archive', 'The archive is damaged, truncated, or followed by other data.')
export const encrypted = (): RefusalError => unreadable('encrypted', 'The archive or one of its entries is encrypted.')
export const split = (): RefusalError => unreadable('split_archive', 'The file is a part of a split archive.')
export const unknown = (): RefusalError =>
  unreadable('unsupported_archive', 'The archive has parts, or a packing, that only some tools support.')
