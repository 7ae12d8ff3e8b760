import type { Reason } from '#sql/files/scans.ts'

export type { Reason } from '#sql/files/scans.ts'

export interface ExaminedFile {
  /** Scratch files are created next to it and deleted afterwards. */
  path: string
  size: number
  name: string
  declaredType: string
}

/** Result of an examination. `sniffedType` is the media type detected from the bytes, or `null`. */
export interface Examination {
  status: 'clean' | 'infected' | 'suspicious' | 'unscannable'
  sniffedType: string | null
  reasons: Reason[]
}

export interface ScannerVersions {
  /** Program and version. */
  engine: string
  /** Identifies the loaded set of signatures. */
  signatures: string
  heuristics: string
  /** `official` for the signatures that ClamAV publishes, `test` for only the local test set. */
  kind: 'official' | 'test'
}

/** The malware scanner. Every call throws `ScannerUnavailableError` while the scanner is not responding. */
export interface Scanner {
  versions(signal: AbortSignal): Promise<ScannerVersions>
  examine(file: ExaminedFile, call: { signal: AbortSignal }): Promise<Examination>
  /**
   * Examines a file that is larger than the limit of the scanner, while it is read. Reads all bytes, unless it finds
   * something earlier. Does not unpack the file.
   */
  examineStream(
    file: Omit<ExaminedFile, 'path'>,
    bytes: AsyncIterable<Buffer>,
    call: { signal: AbortSignal },
  ): Promise<Examination>
}

/** Thrown while the scanner is not responding. Scans keep waiting, and no file is released. */
export class ScannerUnavailableError extends Error {
  override name = 'ScannerUnavailableError'
}
