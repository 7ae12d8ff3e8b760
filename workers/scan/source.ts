import type { FileHandle } from 'node:fs/promises'

export interface Source {
  size: number
  /** Returns the bytes from `start` to before `end`. Returns fewer bytes only at the end of the source. */
  read(start: number, end: number): Promise<Buffer>
}

const chunkSize = 128 * 1024

/**
 * Returns the first `size` bytes of an open file as a source. If the file became shorter, its content is not the cause
 * of the error.
 */
export function fileSource(file: FileHandle, size: number): Source {
  /** The last read range with some bytes after it, because readers move forward in small steps. */
  let last: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) }

  async function read(start: number, end: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(end - start)
    let filled = 0
    while (filled < bytes.length) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled)
      if (bytesRead === 0) throw new Error(`The file ends after ${start + filled} of ${size} bytes.`)
      filled += bytesRead
    }
    return bytes
  }
  return {
    size,
    async read(start, wantedEnd) {
      const end = Math.min(wantedEnd, size)
      if (end <= start) return Buffer.alloc(0)
      const lastEnd = last.start + last.bytes.length
      if (start >= last.start && end <= lastEnd) return last.bytes.subarray(start - last.start, end - last.start)
      if (end - start >= chunkSize) return await read(start, end)
      const isForward = start >= last.start && start <= lastEnd + chunkSize
      const bytes = await read(start, isForward ? Math.min(start + chunkSize, size) : end)
      last = { start, bytes }
      return bytes.subarray(0, end - start)
    },
  }
}

export function memorySource(bytes: Buffer): Source {
  return { size: bytes.length, read: async (start, end) => bytes.subarray(start, Math.max(start, end)) }
}

export function sliceSource(source: Source, start: number, end: number): Source {
  const size = Math.max(0, Math.min(end, source.size) - start)
  return { size, read: (from, to) => source.read(start + from, start + Math.max(from, Math.min(to, size))) }
}

export async function* chunksOf(source: Source, start = 0, end = source.size): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += chunkSize) yield await source.read(at, Math.min(at + chunkSize, end))
}

/**
 * Yields the bytes in pieces. Each piece starts with the last `overlap` bytes of the previous piece, so that no match
 * is cut in two.
 */
export async function* windowsOf(
  source: Source,
  overlap: number,
  { start = 0, size = chunkSize } = {},
): AsyncGenerator<{ bytes: Buffer; start: number; seen: number }> {
  for (let at = start; at < source.size; at += size) {
    const from = Math.max(start, at - overlap)
    yield { bytes: await source.read(from, at + size), start: from, seen: at - from }
  }
}

export async function find(source: Source, what: Buffer, first: number): Promise<number> {
  for await (const { bytes, start } of windowsOf(source, what.length - 1, { start: first })) {
    const found = bytes.indexOf(what)
    if (found !== -1) return start + found
  }
  return -1
}
