import * as rows from '#sql/account/move/rows.ts'
import type { MovedTable } from '#sql/account/move/tables.ts'
import { removeRows, writeRows } from '#sql/account/move/writes.ts'
import { compare } from './compare.ts'
import { copyPeople } from './people.ts'
import type { Moving } from './plan.ts'

const batch = 500

export interface Pass {
  counts: Readonly<Record<string, number>>
  copied: number
  removed: number
  /** Number of rows that the target did not accept yet, because they depend on other rows. */
  left: number
  reason: string | undefined
  seconds: number
}

/**
 * Compares both cells and copies missing and changed rows to the target. Deletes rows that no longer exist in the
 * source. Continues where an earlier pass ended.
 */
export async function runPass(moving: Moving): Promise<Pass> {
  const began = performance.now()
  const pass: Pass = { counts: {}, copied: 0, removed: 0, left: 0, reason: undefined, seconds: 0 }
  const snapshot = await rows.openSnapshot(moving.source.db)
  try {
    const people = await copyPeople(moving)
    const { differing, counts } = await compare(moving, people, snapshot.id)
    pass.counts = counts
    const here = { orgId: moving.move.org_id, people, snapshot: snapshot.id }
    for (const table of moving.tables) {
      const buckets = differing.get(table)
      if (buckets) await new TableCopy(moving, table, here, pass).run(buckets)
    }
  } finally {
    await snapshot.end()
  }
  pass.seconds = (performance.now() - began) / 1000
  return pass
}

export const isAlike = ({ copied, removed, left }: Pass): boolean => copied + removed + left === 0

interface Marked {
  k: string
  h: string
  own: rows.Key
}

class TableCopy {
  readonly #moving: Moving
  readonly #table: MovedTable
  readonly #here: rows.RowOwner
  readonly #pass: Pass
  readonly #pending: Record<'add' | 'replace', rows.Key[]> = { add: [], replace: [] }
  #gone: rows.Key[] = []

  constructor(moving: Moving, table: MovedTable, here: rows.RowOwner, pass: Pass) {
    this.#moving = moving
    this.#table = table
    this.#here = here
    this.#pass = pass
  }

  /** Walks through the keys of both cells in the same order. */
  async run(buckets: readonly number[]): Promise<void> {
    const { source, target, move } = this.#moving
    const [here, there] = [this.#here, { orgId: move.org_id }]
    const ours = rows.openMarked(source.db, this.#table, here, buckets)
    const theirs = rows.openMarked(target.db, this.#table, there, buckets)
    try {
      await this.#merge(ours.next, theirs.next)
    } finally {
      await Promise.all([ours.close(), theirs.close()])
    }
    await this.#remove()
    await this.#copy('replace')
    await this.#copy('add')
  }

  async #merge(nextHere: () => Promise<readonly Marked[]>, nextThere: () => Promise<readonly Marked[]>): Promise<void> {
    const [here, there] = [new Side(nextHere), new Side(nextThere)]
    for (;;) {
      const [a, b] = [await here.first(), await there.first()]
      if (!a && !b) return
      const [isHere, isThere] = [isFirst(a, b), isFirst(b, a)]
      if (isHere) here.drop()
      if (isThere) there.drop()
      await this.#settle(isHere ? a : undefined, isThere ? b : undefined)
    }
  }

  /** Applies the difference for one key to the target. */
  async #settle(here: Marked | undefined, there: Marked | undefined): Promise<void> {
    if (here && there) {
      if (here.h !== there.h) await this.#take('replace', here)
    } else if (here) {
      await this.#take('add', here)
    } else if (there) {
      this.#gone.push(there.own)
      if (this.#gone.length >= batch) await this.#remove()
    }
  }

  async #take(manner: 'add' | 'replace', { own }: Marked): Promise<void> {
    this.#pending[manner].push(own)
    if (this.#pending[manner].length >= batch) await this.#copy(manner)
  }

  async #copy(manner: 'add' | 'replace'): Promise<void> {
    const keys = this.#pending[manner]
    this.#pending[manner] = []
    const found = await rows.fetchRows(this.#moving.source.db, this.#table, keys, this.#here)
    await this.#write(found, manner)
  }

  /** Writes rows. Rows that the target does not accept are left for the next pass. */
  async #write(found: readonly rows.Texts[], manner: 'add' | 'replace'): Promise<void> {
    try {
      await writeRows(this.#moving.target.db, this.#table, found, manner)
      this.#pass.copied += found.length
    } catch (error) {
      const reason = hangs(error)
      if (reason === undefined) throw error
      if (found.length === 1) {
        this.#pass.left += 1
        this.#pass.reason = `${this.#table.name}: ${reason}`
        return
      }
      const half = Math.ceil(found.length / 2)
      await this.#write(found.slice(0, half), manner)
      await this.#write(found.slice(half), manner)
    }
  }

  async #remove(): Promise<void> {
    const gone = this.#gone
    this.#gone = []
    await removeRows(this.#moving.target.db, this.#table, gone)
    this.#pass.removed += gone.length
  }
}

const isFirst = (one: Marked | undefined, other: Marked | undefined): boolean =>
  one !== undefined && (!other || one.k <= other.k)

class Side {
  readonly #next: () => Promise<readonly Marked[]>
  #rows: readonly Marked[] = []
  #at = 0
  #ended = false

  constructor(next: () => Promise<readonly Marked[]>) {
    this.#next = next
  }

  async first(): Promise<Marked | undefined> {
    if (this.#at >= this.#rows.length && !this.#ended) {
      this.#rows = await this.#next()
      this.#at = 0
      this.#ended = this.#rows.length === 0
    }
    return this.#rows[this.#at]
  }

  drop(): void {
    this.#at += 1
  }
}

/**
 * Returns the database error if a row depends on a missing row or conflicts with an existing row. Otherwise undefined.
 */
function hangs(error: unknown): string | undefined {
  let code: unknown
  let text = ''
  for (let e = error; e instanceof Error; e = e.cause) {
    if ('code' in e) code = e.code
    text = 'detail' in e && e.detail ? String(e.detail) : e.message
  }
  return code === '23503' || code === '23505' ? text : undefined
}
