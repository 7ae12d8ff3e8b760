import type { Readable } from 'node:stream'

/** A file as it lies on this machine for the examination, with what its uploader says of it. */
export interface ExaminedFile {
  /** A local copy; scratch files are made beside it and gone afterwards. */
  path: string
  /** Bytes. */
  size: number
  name: string
  declaredType: string
}

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

/** Why a file is not clean: a stable code, a sentence, and the entry of the archive that it is about. */
export interface Reason {
  code: string
  detail: string
  /** The path through the archives, such as `inner.zip → invoice.pdf.exe`. */
  entry?: string
}

/** What is told of a file: `clean` only when all of it was read by the engine and by us, and nothing was found. */
export interface Examination {
  status: 'clean' | 'infected' | 'suspicious' | 'unscannable'
  /** The type that the bytes have, null when they are of no known kind. */
  sniffedType: string | null
  reasons: Reason[]
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
