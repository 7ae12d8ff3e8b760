import type { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'
import { type Listener, listen } from '#sql/listen.ts'
import { getSessionUrl } from '#sql/session-url.ts'
import type { PoolName } from '#tasks/pools.ts'
import { answersChannel, ask, type QuestionOptions } from '#tasks/queue/ask.ts'
import type { Task } from '#tasks/queue/task.ts'

export interface Questions {
  /**
   * Sends a question to a worker and waits up to `timeout` milliseconds for the answer. Throws 502 if the work failed,
   * and 504 after the timeout.
   */
  ask<P extends z.ZodType, N extends PoolName, A>(
    task: Task<P, N, A>,
    payload: z.input<P>,
    options: QuestionOptions,
  ): Promise<A>
  close(): Promise<void>
}

export function createQuestions(db: DatabasePool): Questions {
  let listener: Listener | undefined
  return {
    ask(task, payload, options) {
      listener ??= listen(getSessionUrl(db), [answersChannel])
      return ask(db, listener, task, payload, options)
    },
    async close() {
      await listener?.close()
    },
  }
}
