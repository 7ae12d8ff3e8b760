/** Has what happens to a channel happen one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Does the work when all that was to be done for this id before has ended. */
  take<T>(id: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(id) ?? Promise.resolve()).then(work, work)
    this.#last.set(id, turn)
    const forget = () => {
      if (this.#last.get(id) === turn) this.#last.delete(id)
    }
    turn.then(forget, forget)
    return turn
  }
}
