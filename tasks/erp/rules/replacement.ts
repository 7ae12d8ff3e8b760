import type { Db } from '#sql/db.ts'
import type { Counts, Fault, Options, Outcome } from '#sql/erp/imports.ts'
import { ImportRefusalError } from '#sql/erp/staging.ts'
import { ImportError } from './import-error.ts'

export interface Replacement<Name extends string> {
  importId: string
  profile: Name
  register?: string
  options: Options
  /** Unpacked. */
  bytes: AsyncIterable<Buffer>
  signal?: AbortSignal
  /** Runs state writes while the attempt owns its job. */
  own<T>(work: (tx: Db) => Promise<T>): Promise<T>
  finish?(tx: Db, outcome: Outcome): Promise<void>
}

export const batch = 2_000

export const leastPercent = 50

const mostFaults = 50

const mostRows = 20_000_000

/** Number of faulty records that are always allowed. */
const someFaulty = 1_000

export class Tally {
  readonly faults: Fault[] = []
  readonly #mostRows: number
  #records = 0
  #leftOut = 0
  #faulty = 0
  #valuesLeftOut = 0

  constructor({ most_rows = mostRows }: Options) {
    this.#mostRows = most_rows
  }

  /**
   * Records a result. `taken` is true if the record is imported, with or without issues. Throws `ImportError` above the
   * limits.
   */
  record(line: number, taken: boolean, issues: readonly string[]): void {
    if (++this.#records > this.#mostRows) throw new ImportError(`The file has more than ${this.#mostRows} records.`)
    for (const issue of issues) if (this.faults.length < mostFaults) this.faults.push({ line, issue })
    if (taken) {
      this.#valuesLeftOut += issues.length
      return
    }
    this.#leftOut++
    if (issues.length > 0) this.#faulty++
    if (this.#faulty > someFaulty && this.#faulty * 2 > this.#records)
      throw new ImportError(`${this.#faulty} of the first ${this.#records} records are faulty.${this.first}`)
  }

  /** The first fault as a sentence to append. */
  get first(): string {
    const [first] = this.faults
    return first ? ` Line ${first.line}: ${first.issue}.` : ''
  }

  counts({ read, added, changed, missing }: Pick<Counts, 'read' | 'added' | 'changed' | 'missing'>): Counts {
    return { read, added, changed, missing, left_out: this.#leftOut, values_left_out: this.#valuesLeftOut }
  }
}

/** Runs an exchange and converts a refusal to `ImportError`. */
export async function withImportErrors<T>(exchange: Promise<T>, what: string): Promise<T> {
  try {
    return await exchange
  } catch (error) {
    if (error instanceof ImportRefusalError)
      throw new ImportError(`${error.message} The current ${what} are kept.`, error.shrunk)
    throw error
  }
}
