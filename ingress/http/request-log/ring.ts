export class Ring<Row extends { org_id: string }> {
  readonly #size: number
  #rows: Row[] = []
  readonly #own = new Map<string, number>()

  constructor(size: number) {
    this.#size = size
  }

  get length(): number {
    return this.#rows.length
  }

  hasRoom(orgId: string): boolean {
    return this.#rows.length < this.#size && (this.#own.get(orgId) ?? 0) < this.#size / 2
  }

  push(row: Row): void {
    this.#rows.push(row)
    this.#own.set(row.org_id, (this.#own.get(row.org_id) ?? 0) + 1)
  }

  first(count: number): readonly Row[] {
    return this.#rows.slice(0, count)
  }

  drop(count: number): void {
    for (const { org_id } of this.#rows.slice(0, count)) {
      const left = (this.#own.get(org_id) ?? 1) - 1
      if (left > 0) this.#own.set(org_id, left)
      else this.#own.delete(org_id)
    }
    this.#rows = this.#rows.slice(count)
  }
}
