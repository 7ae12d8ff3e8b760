/** What can be uploaded: bytes, a file of a page (`File`, `Blob`), or, by `millrace/node`, a file on disk. */
export type Source = Uint8Array | Blob | Sliceable

/** Bytes that are read piece by piece. */
export interface Sliceable {
  /** How many there are. */
  bytes: number
  filename?: string | undefined
  /** The bytes from `start` up to `end`. */
  slice(start: number, end: number): Promise<Uint8Array | Blob>
}

/** Any source, to be read piece by piece. */
export function sliceable(source: Source): Sliceable {
  if (source instanceof Uint8Array) {
    return { bytes: source.length, slice: async (start, end) => source.subarray(start, end) }
  }
  if (source instanceof Blob) {
    const filename = 'name' in source && typeof source.name === 'string' ? source.name : undefined
    return { bytes: source.size, filename, slice: async (start, end) => source.slice(start, end) }
  }
  return source
}
