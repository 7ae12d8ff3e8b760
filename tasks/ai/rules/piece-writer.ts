import { replaceNul } from '#lib/outside-text.ts'
import * as completions from '#sql/ai/completions.ts'
import type { Db } from '#sql/db.ts'

/** Interval between writes in milliseconds, because each write sends a notification. The first write is immediate. */
const pauseMs = 40

/** Maximum number of characters of a part, and of waiting text before reading from the upstream pauses. */
const [mostPiece, mostWaiting] = [64 * 1024, 256 * 1024]

export interface AnswerWriter {
  /** True after the first part. */
  readonly hasBegun: boolean
  /** Adds a part that must not be split. Resolves when the buffer has room. */
  add(part: string): Promise<void>
  whole(text: string): Promise<void>
  end(): Promise<void>
  stop(): Promise<void>
}

/** Creates the writer of an attempt. `left` is called if another attempt has the answer or no request waits for it. */
export function createPieceWriter(db: Db, begun: completions.CompletionAttempt, left: () => void): AnswerWriter {
  let waiting: string[] = []
  let size = 0
  let n = 0
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let lastMs = Number.NEGATIVE_INFINITY
  let stopped = false
  let hasBegun = false
  let failure: unknown

  async function put(data: string): Promise<void> {
    n++
    if (await completions.addPiece(db, begun, n, replaceNul(data))) return
    stopped = true
    left()
  }

  function taken(): string {
    let data = waiting.shift() ?? ''
    while (waiting[0] !== undefined && data.length + waiting[0].length <= mostPiece) data += waiting.shift()
    size -= data.length
    return data
  }

  async function writeAll(): Promise<void> {
    try {
      while (waiting.length > 0 && !stopped) await put(taken())
      lastMs = performance.now()
    } catch (error) {
      failure = error
      stopped = true
    }
  }

  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing ??= writeAll().finally(() => {
      writing = undefined
      if (waiting.length > 0 && !stopped) schedule()
    })
    return writing
  }

  function schedule(): void {
    timer ??= setTimeout(() => void write(), Math.max(0, lastMs + pauseMs - performance.now()))
  }

  return {
    get hasBegun() {
      return hasBegun
    },
    async add(part) {
      hasBegun = true
      if (failure) throw failure
      if (stopped) return
      waiting.push(part)
      size += part.length
      if (size > mostWaiting) await write()
      else if (!writing) schedule()
    },
    async whole(text) {
      hasBegun = true
      if (!stopped) await put(text)
    },
    async end() {
      while ((writing || waiting.length > 0) && !stopped) await write()
      if (failure) throw failure
    },
    async stop() {
      stopped = true
      waiting = []
      clearTimeout(timer)
      await writing
    },
  }
}
