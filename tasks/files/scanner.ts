import type { Reason } from '#sql/files/scans.ts'

/** A file that is to be examined, as its uploader describes it. */
export interface ExaminedFile {
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

/** An examination of a file that is on its way here. */
export interface Reading {
  /** Shows the next bytes of it. */
  take(chunk: Buffer): void
  /** Examines it, all of which has come and lies in a local file now, with what was seen of it; scratch files are made beside that. */
  finish(path: string): Promise<Examination>
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
  read(file: ExaminedFile, call: { signal: AbortSignal }): Reading
}

/** Thrown while the scanner does not answer: what waits for it waits on, and nothing passes. */
export class ScannerAway extends Error {
  override name = 'ScannerAway'
}
