import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { OnPushResults, PushResult } from '../engine.ts'
import type { EndedDelivery } from './admit.ts'
import type { PreparedPush } from './prepare.ts'

export interface Batch {
  sendable: PreparedPush[]
  ended: EndedDelivery[]
}

/** Records a part of a batch. If `results` is undefined, no push of the batch could be sent. */
type RecordPart = (part: Batch, results: readonly PushResult[] | undefined, isLast: boolean) => Promise<void>

/**
 * Records results of a batch in parts as they arrive, one part after the other, so that no result waits for silent
 * servers. `rest` records the remaining results. If recording a part fails, `rest` also records this part and later
 * parts. A push that was sent but not recorded is sent again.
 */
export function createPartRecorder(
  { sendable, ended }: Batch,
  record: RecordPart,
): { some: OnPushResults; rest(results: readonly PushResult[] | undefined): Promise<void> } {
  const recorded = new Set<number>()
  let recording: Promise<unknown> = Promise.resolve()
  let hasFailed = false
  const partOf = (places: readonly number[]) => places.map((at) => sendable[at] as PreparedPush)
  const recordSome = async (results: ReadonlyMap<number, PushResult>) => {
    if (hasFailed) return
    const places = [...results.keys()]
    try {
      await record({ sendable: partOf(places), ended: [] }, [...results.values()], false)
      for (const at of places) recorded.add(at)
    } catch (error) {
      hasFailed = true
      log.warn(
        { err: describe(error) },
        'could not record results of a part of a batch; recording them when the batch ends',
      )
    }
  }
  return {
    some(results) {
      recording = recording.then(() => recordSome(results))
    },
    async rest(results) {
      await recording
      const places = sendable.flatMap((_, at) => (recorded.has(at) ? [] : [at]))
      const left = results && places.map((at) => results[at] as PushResult)
      await record({ sendable: partOf(places), ended }, left, true)
    },
  }
}
