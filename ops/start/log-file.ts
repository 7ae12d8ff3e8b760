import { createWriteStream, renameSync, statSync, type WriteStream } from 'node:fs'

/** A log file that is renamed to `<path>.1` when it exceeds `limit` bytes. Only one old file is kept. */
export class LogFile {
  readonly path: string
  readonly #limit: number
  #bytes: number
  #stream: WriteStream

  constructor(path: string, limit = 32 * 1024 ** 2) {
    this.path = path
    this.#limit = limit
    this.#bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    this.#stream = createWriteStream(path, { flags: 'a', mode: 0o600 })
  }

  write(line: string): void {
    if (this.#bytes > this.#limit) this.#startAnew()
    this.#bytes += Buffer.byteLength(line) + 1
    this.#stream.write(`${line}\n`)
  }

  #startAnew(): void {
    this.#stream.end()
    renameSync(this.path, `${this.path}.1`)
    this.#stream = createWriteStream(this.path, { flags: 'a', mode: 0o600 })
    this.#bytes = 0
  }
}
