import type { Statement } from './plans.ts'

export interface Named {
  name: string
  area: string
}

/** One request or claim that is measured. */
export interface Subject extends Named {
  tables: readonly string[]
  run(): Promise<unknown>
  /** Explained at each size. Includes statements in transactions that are rolled back. */
  record(): Promise<readonly Statement[]>
}

/** What is not measured, and the reason. */
export interface Omission extends Named {
  reason: string
}
