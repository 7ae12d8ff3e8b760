import type { Db } from '#sql/db.ts'
import type { Counts, Fault, Options, Outcome } from '#sql/erp/imports.ts'
import { ImportRefusal } from '#sql/erp/staging.ts'
import { ImportError } from './import-error.ts'

/** A register's file, and how it is read. */
export interface Replacement<Name extends string> {
  importId: string
  profile: Name
  /** The register's name, if it is not the profile's. */
  register?: string
  options: Options
  /** Unpacked. */
  bytes: AsyncIterable<Buffer>
  signal?: AbortSignal
  /** Does state writes while the attempt owns its job. */
  own<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** Is done in the transaction in which the file takes effect. */
  finish?(tx: Db, outcome: Outcome): Promise<void>
}

/** Rows that one statement writes. */
export const batch = 2_000

/** Percent of what was there before that a file must have, unless its import says another. */
export const leastPercent = 50

/** Faults that are kept to be shown. */
const mostFaults = 50

/** Records of a file, unless its import says another number. */
const mostRows = 20_000_000

/** Faulty records that a file may have in any case. */
const someFaulty = 1_000

/** Counts what is read of a file, and what is left out of it. */
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

  /** Notes a record; `taken` is whether it is taken, with or without what its issues tell. Throws `ImportError` past the bounds. */
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

  /** The first fault, as a sentence behind another. */
  get first(): string {
    const [first] = this.faults
    return first ? ` Line ${first.line}: ${first.issue}.` : ''
  }

  counts({ read, added, changed, missing }: Pick<Counts, 'read' | 'added' | 'changed' | 'missing'>): Counts {
    return { read, added, changed, missing, left_out: this.#leftOut, values_left_out: this.#valuesLeftOut }
  }
}

/** Does an exchange; what refuses it is thrown as `ImportError`. */
export async function refusing<T>(exchange: Promise<T>, what: string): Promise<T> {
  try {
    return await exchange
  } catch (error) {
    if (error instanceof ImportRefusal)
      throw new ImportError(`${error.message} The current ${what} stay.`, error.shrunk)
    throw error
  }
}
