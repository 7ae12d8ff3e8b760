export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(key) ?? Promise.resolve()).then(work, work)
    this.#last.set(key, done)
    const forget = () => {
      if (this.#last.get(key) === done) this.#last.delete(key)
    }
    done.then(forget, forget)
    return done
  }
}
