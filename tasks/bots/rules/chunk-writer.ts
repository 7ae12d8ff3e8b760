import type { Logger } from 'pino'
import { describe } from '#lib/errors.ts'
import { replaceNul } from '#lib/outside-text.ts'
import * as answers from '#sql/bots/answers.ts'
import type { Db } from '#sql/db.ts'
import { leakLength } from './prompt-guard.ts'

/**
 * Interval between chunks in milliseconds. Each chunk costs a write and a notification, and readers do not notice a
 * shorter delay.
 */
const pauseMs = 100

/**
 * Number of characters at the end of the text that are not sent yet, because they may be the start of a passage of the
 * system prompt. Doubled to allow for characters between the letters.
 */
const heldBack = 2 * leakLength

export interface ChunkWriter {
  add(text: string): void
  /** Resolves when no write is in progress. The complete answer contains the remaining text. */
  stop(): Promise<void>
}

/**
 * Writes chunks of one attempt’s answer, up to the first chunk for which `leaks` is true. A failed write only delays
 * the text.
 */
export function createChunkWriter(
  db: Db,
  begun: answers.StartedAnswer,
  leaks: (text: string) => boolean,
  log: Logger,
): ChunkWriter {
  let [text, written, n] = ['', 0, 0]
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  /** Returns the length of the text that can be sent. It ends with no half of a surrogate pair, and before a leak. */
  function ready(): number {
    const end = text.length - heldBack
    if (end <= written || leaks(text)) return written
    return /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end - 1 : end
  }

  async function write(): Promise<void> {
    const end = ready()
    if (end <= written) return
    const chunk = text.slice(written, end)
    written = end
    n++
    if (!(await answers.addChunk(db, begun, n, chunk))) stopped = true
  }

  function flush(): void {
    timer = undefined
    writing = write()
      .catch((error) => {
        stopped = true
        log.debug({ err: describe(error) }, 'could not write a chunk of an answer')
      })
      .finally(() => {
        writing = undefined
        if (!stopped && ready() > written) schedule()
      })
  }

  const schedule = () => {
    timer ??= setTimeout(flush, pauseMs)
  }

  return {
    add(more) {
      if (stopped) return
      text += replaceNul(more)
      if (!writing) schedule()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await writing
    },
  }
}
