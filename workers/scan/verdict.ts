import type { Readable } from 'node:stream'

export interface Verdict {
  status: 'clean' | 'infected' | 'unscannable' | 'suspicious' | 'error'
  signature?: string
}

export interface Engine {
  /** Reads all bytes, unless it finds something earlier. `size` in bytes if known. */
  scan(bytes: Readable, size: number | null, signal: AbortSignal): Promise<Verdict>
  scanBytes(bytes: Buffer, signal: AbortSignal): Promise<Verdict>
  /** The same for a local file, which the engine opens itself; `null` if it cannot. */
  scanFile(path: string, size: number, signal: AbortSignal): Promise<Verdict | null>
}

/** Limits of one examination. A file above them is unscannable. Sizes in bytes. */
export interface Limits {
  entries: number
  entrySize: number
  totalSize: number
  /** Ratio of unpacked to packed, checked only above `ratioFloor` unpacked bytes. */
  ratio: number
  ratioFloor: number
  depth: number
  /** Unpacked bytes in memory, and on the disk in addition to the file, at the same time. */
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
