import { setTimeout as delay } from 'node:timers/promises'
import { log } from '#lib/log.ts'
import { createSlots, type Slots } from '#lib/slots.ts'
import type { OnPushResults, Push, PushResult } from '#tasks/push/engine.ts'
import type { PushAnswer } from './client.ts'

/** Timeout in milliseconds for responses after the batch must end. */
const graceMs = 1_000

/** Interval in milliseconds between reports of results. */
const tellMs = 1_500

const notSent: PushResult = { outcome: 'retry', reason: 'not_sent', latencyMs: 0 }

/** Limits of a batch whose pushes go to different servers. Any of these servers may not respond. */
export interface BatchBounds {
  /** Maximum number of pushes that the batch sends at the same time. Default: all. */
  atOnce?: number
  /** Time in milliseconds after which no push of the batch starts. */
  lastStartMs?: number
  onResults?: OnPushResults | undefined
}

/**
 * Sends each push when there is capacity. A push that throws does not affect the others. After `signal` aborts, no push
 * starts, and pushes in progress have `graceMs` to receive their responses, so that known results are not lost.
 */
export async function sendAll(
  pushes: readonly Push[],
  roomFor: (push: Push) => Slots,
  signal: AbortSignal,
  send: (push: Push) => Promise<PushAnswer>,
  { atOnce, lastStartMs = Number.POSITIVE_INFINITY, onResults }: BatchBounds = {},
): Promise<PushResult[]> {
  const lastStart = performance.now() + lastStartMs
  const begun: number[] = []
  const results: PushResult[] = []
  let untold = new Map<number, PushResult>()
  const one = async (push: Push, at: number): Promise<void> => {
    const start = performance.now()
    if (signal.aborted || start > lastStart) return
    begun[at] = start
    let answered: PushAnswer
    try {
      answered = await send(push)
    } catch (error) {
      answered = unexpected(error)
    }
    const result = { ...answered, latencyMs: performance.now() - start }
    results[at] = result
    untold.set(at, result)
  }
  const tell = () => {
    if (untold.size > 0) onResults?.(untold)
    untold = new Map()
  }
  const telling = onResults && setInterval(tell, tellMs)
  const room = atOnce === undefined ? undefined : createSlots(atOnce)
  const start = (push: Push, at: number) => roomFor(push).run(() => one(push, at))
  const ended = new AbortController()
  const all = Promise.all(pushes.map((push, at) => (room ? room.run(() => start(push, at)) : start(push, at))))
  await Promise.race([all, afterGrace(signal, ended.signal)])
  ended.abort()
  clearInterval(telling)
  const cutAt = performance.now()
  const unanswered = (at: number): PushResult => {
    const start = begun[at]
    return start === undefined ? notSent : { outcome: 'unknown', reason: 'aborted', latencyMs: cutAt - start }
  }
  return pushes.map((_, at) => results[at] ?? unanswered(at))
}

/** Resolves when the grace period for responses has ended. Never resolves if the batch ends earlier. */
function afterGrace(signal: AbortSignal, ended: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const wait = () => void delay(graceMs, undefined, { signal: ended }).then(resolve, () => {})
  if (signal.aborted) wait()
  else signal.addEventListener('abort', wait, { once: true, signal: ended })
  return promise
}

function unexpected(error: unknown): PushAnswer {
  log.error({ err: error }, 'a push failed with an unexpected error')
  return { outcome: 'unknown', reason: 'fault', error: (error as Error).message }
}
