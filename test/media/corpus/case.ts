import type { End } from '../trial.ts'

/** A file of the corpus, and what must become of it. */
export interface Case {
  name: string
  /** The file's own name. */
  file: string
  /** Writes it to that path; `folder` is for what it is made of. */
  make(path: string, folder: string): Promise<unknown>
  /** The ends that are right. */
  ends: readonly End[]
  /** Most wall-clock seconds from its upload to its end, on two cores with nothing else to do. */
  seconds: number
  /** Largest resident size of a tool, in MiB. */
  memory: number
}

/** What a case of ordinary size may take. */
export const small = { seconds: 20, memory: 400 } as const
