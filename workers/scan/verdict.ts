import type { Readable } from 'node:stream'

export interface Verdict {
  status: 'clean' | 'infected' | 'unscannable' | 'suspicious' | 'error'
  signature?: string
}

export interface Engine {
  /** Scans bytes. Reads all bytes, unless it finds something earlier. `size` is in bytes, or null if unknown. */
  scan(bytes: Readable, size: number | null, signal: AbortSignal): Promise<Verdict>
  scanBytes(bytes: Buffer, signal: AbortSignal): Promise<Verdict>
  /** Scans a local file, which the engine opens itself. Returns `null` if the engine cannot open it. */
  scanFile(path: string, size: number, signal: AbortSignal): Promise<Verdict | null>
}

/** Limits of one examination. A file that exceeds them is unscannable. Sizes are in bytes. */
export interface Limits {
  entries: number
  entrySize: number
  totalSize: number
  /** Maximum ratio of unpacked to packed bytes, checked only above `ratioFloor` unpacked bytes. */
  ratio: number
  ratioFloor: number
  depth: number
  /** Maximum size in bytes of unpacked data at the same time: in memory, and on the disk in addition to the file. */
  memory: number
  scratch: number
}

const mebibyte = 1024 ** 2

export const usualLimits: Limits = {
  entries: 10_000,
  entrySize: 2 * 1024 * mebibyte,
  totalSize: 4 * 1024 * mebibyte,
  ratio: 100,
  ratioFloor: 10 * mebibyte,
  depth: 8,
  memory: 8 * mebibyte,
  scratch: 2 * 1024 * mebibyte,
}
