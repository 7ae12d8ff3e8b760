import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readPrivate, removeOld, stateFolder, writePrivate } from '../private-files.ts'

const folder = () => join(stateFolder(), 'listen')

/** What a position belongs to. Another filter or target has its own position. */
interface Subscription {
  url: string
  /** The login, its organisation and its mode, or a hash of the key. */
  owner: string
  target: string
  types: string
}

interface Stored extends Subscription {
  position: string
}

/**
 * Position of a subscription on disk. It moves only past events that were handled together with all earlier events, so
 * that a killed command repeats events but loses none.
 */
export class Position {
  readonly #path: string
  readonly #about: Subscription
  readonly #open: { id: string; handled: boolean }[] = []
  #latest: string | undefined
  #stored: string | undefined
  #writing: Promise<void> | undefined

  constructor(about: Subscription) {
    const name = createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 32)
    this.#path = join(folder(), `${name}.json`)
    this.#about = about
  }

  /** Returns the stored position, or `undefined` for the first start. */
  async read(): Promise<string | undefined> {
    // A killed command can leave a temporary file.
    await removeOld(folder(), 1, '.tmp')
    const stored = await readPrivate<Stored>(this.#path)
    return typeof stored?.position === 'string' ? stored.position : undefined
  }

  /** Adds a received event. The returned function marks the event as handled. */
  add(id: string): () => void {
    const entry = { id, handled: false }
    this.#open.push(entry)
    return () => {
      entry.handled = true
      while (this.#open[0]?.handled) this.#latest = this.#open.shift()?.id
    }
  }

  /** Writes the position if it has moved. Writes one file at a time. */
  async save(): Promise<void> {
    while (this.#latest !== this.#stored) {
      this.#writing ??= this.#write(this.#latest as string).finally(() => {
        this.#writing = undefined
      })
      await this.#writing
    }
  }

  async #write(position: string): Promise<void> {
    await writePrivate(this.#path, { ...this.#about, position } satisfies Stored)
    this.#stored = position
  }
}
