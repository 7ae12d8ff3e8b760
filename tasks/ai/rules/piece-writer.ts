import { replaceNul } from '#lib/outside-text.ts'
import * as completions from '#sql/ai/completions.ts'
import type { Db } from '#sql/db.ts'

/** Milliseconds between two writes: each costs a notification. The first goes at once. */
const pauseMs = 40

/** Characters of a piece, and that wait to be written before the upstream has to. */
const [mostPiece, mostWaiting] = [64 * 1024, 256 * 1024]

/** Writes an answer as it comes, for the ingress that sends it. */
export interface PieceWriter {
  /** Takes a part that is not to be cut; resolves when there is room for more. */
  add(part: string): Promise<void>
  /** Writes an answer that comes whole. */
  whole(text: string): Promise<void>
  /** Resolves when all that was added is written. */
  end(): Promise<void>
  /** Writes no more; resolves when nothing is being written. */
  stop(): Promise<void>
}

/** Makes the writer of an attempt; `left` is called when another attempt has the answer, or nobody waits for it. */
export function createPieceWriter(db: Db, begun: completions.Begun, left: () => void): PieceWriter {
  let waiting: string[] = []
  let size = 0
  let n = 0
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let lastMs = Number.NEGATIVE_INFINITY
  let stopped = false
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
      // Told to whoever adds more, or ends.
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
    async add(part) {
      if (failure) throw failure
      if (stopped) return
      waiting.push(part)
      size += part.length
      if (size > mostWaiting) await write()
      else if (!writing) schedule()
    },
    async whole(text) {
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
