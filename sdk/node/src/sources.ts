/** Content to upload: bytes, a file in a browser (`File`, `Blob`), or a file on disk with `millrace/node`. */
export type Source = Uint8Array | Blob | Sliceable

/** Content that is read in parts. */
export interface Sliceable {
  /** Total size in bytes. */
  bytes: number
  filename?: string | undefined
  /** Returns the bytes from `start` to `end`, without the byte at `end`. */
  slice(start: number, end: number): Promise<Uint8Array | Blob>
}

export function toSliceable(source: Source): Sliceable {
  if (source instanceof Uint8Array) {
    return { bytes: source.length, slice: async (start, end) => source.subarray(start, end) }
  }
  if (source instanceof Blob) {
    const filename = 'name' in source && typeof source.name === 'string' ? source.name : undefined
    return { bytes: source.size, filename, slice: async (start, end) => source.slice(start, end) }
  }
  return source
}
