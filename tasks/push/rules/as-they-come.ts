import type { OnPushResults, PushResult } from '../engine.ts'
import type { EndedDelivery } from './admit.ts'
import type { PreparedPush } from './prepare.ts'

/** A batch, or a part of one. */
export interface Batch {
  sendable: PreparedPush[]
  ended: EndedDelivery[]
}

/** Records a part of a batch; without `results` none of it could be sent. */
type RecordPart = (part: Batch, results: readonly PushResult[] | undefined, isLast: boolean) => Promise<void>

/**
 * Records results of a batch in parts as they come, one part after the other, so that nobody's result waits for servers that are
 * silent. `rest` records what is left, and throws what a part before could not be recorded for.
 */
export function asTheyCome(
  { sendable, ended }: Batch,
  record: RecordPart,
): { some: OnPushResults; rest(results: readonly PushResult[] | undefined): Promise<void> } {
  const recorded = new Set<number>()
  let recording: Promise<void> = Promise.resolve()
  const partOf = (places: readonly number[]) => places.map((at) => sendable[at] as PreparedPush)
  return {
    some(results) {
      const places = [...results.keys()]
      for (const at of places) recorded.add(at)
      recording = recording.then(() => record({ sendable: partOf(places), ended: [] }, [...results.values()], false))
      // It is told by `rest`.
      recording.catch(() => {})
    },
    async rest(results) {
      await recording
      const places = sendable.flatMap((_, at) => (recorded.has(at) ? [] : [at]))
      const left = results && places.map((at) => results[at] as PushResult)
      await record({ sendable: partOf(places), ended }, left, true)
    },
  }
}
