import type { Reason } from '#sql/files/scans.ts'

export type { Reason } from '#sql/files/scans.ts'

/** A file of this machine that is to be examined, as its uploader describes it. */
export interface ExaminedFile {
  /** Scratch files are made beside it, and gone afterwards. */
  path: string
  /** In bytes. */
  size: number
  name: string
  declaredType: string
}

/** What was found in a file; `sniffedType` is the media type its bytes tell of, null when they tell none. */
export interface Examination {
  status: 'clean' | 'infected' | 'suspicious' | 'unscannable'
  sniffedType: string | null
  reasons: Reason[]
}

/** What examines now. */
export interface ScannerVersions {
  /** The program and its version. */
  engine: string
  /** Names the set of signatures that is loaded. */
  signatures: string
  heuristics: string
  /** Whether the signatures are those that ClamAV publishes, or only the local set of tests. */
  kind: 'official' | 'test'
}

/** The malware scanner as tasks know it; every call throws `ScannerAway` while it does not answer. */
export interface Scanner {
  versions(signal: AbortSignal): Promise<ScannerVersions>
  examine(file: ExaminedFile, call: { signal: AbortSignal }): Promise<Examination>
}

/** Thrown while the scanner does not answer: what waits for it waits on, and nothing passes. */
export class ScannerAway extends Error {
  override name = 'ScannerAway'
}
