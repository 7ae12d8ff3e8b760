import type { Readable } from 'node:stream'

/** What the engine says of some bytes. */
export interface Verdict {
  status: 'clean' | 'infected' | 'unscannable' | 'suspicious' | 'error'
  signature?: string
}

/** What looks for known malware in bytes; it knows no names. */
export interface Engine {
  /** Reads all of the bytes, unless it knows earlier that they are not clean; `size` in bytes where it is known. */
  scan(bytes: Readable, size: number | null, signal: AbortSignal): Promise<Verdict>
  /** The same for few bytes that are there at once. */
  scanBytes(bytes: Buffer, signal: AbortSignal): Promise<Verdict>
  /** The same for a file of this machine, which it opens itself; null where it cannot. */
  scanFile(path: string, size: number, signal: AbortSignal): Promise<Verdict | null>
}

/** What one examination may use up; beyond it a file is unscannable. Sizes in bytes. */
export interface Limits {
  /** Entries of all archives in the file together. */
  entries: number
  entrySize: number
  /** Everything unpacked, together. */
  totalSize: number
  /** Unpacked to packed, asked only of what unpacks to more than `ratioFloor`. */
  ratio: number
  ratioFloor: number
  /** Archives within archives. */
  depth: number
  /** Unpacked bytes held in memory, and on the disk beside the file, at one time. */
  memory: number
  scratch: number
}

const mebibyte = 1024 ** 2

/** What an examination may use up where nobody says otherwise. */
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
