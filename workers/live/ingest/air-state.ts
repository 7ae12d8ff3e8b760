import type { Source } from '#tasks/live/engine.ts'
import type { LiveState } from '../origin/channel.ts'

/** The packaging of one publisher’s stream. */
export interface Packaging {
  source: Source
  startedAt: number
  packager: LiveState
  ended: PromiseWithResolvers<void>
}

/** State of a broadcast on this worker. */
export type AirState =
  | { name: 'admitted' }
  | { name: 'packaging'; packaging: Packaging }
  /** Every publisher has left. The broadcast continues if one connects in time. */
  | { name: 'absent'; since: number }
  /** The broadcast ends, or another worker continues it. The last stream is packaged until its publisher is dropped. */
  | { name: 'ending'; packaging: Packaging | undefined }
  | { name: 'ended' }

type StateName = AirState['name']

const successors: Record<StateName, readonly StateName[]> = {
  admitted: ['packaging', 'ending'],
  packaging: ['packaging', 'absent', 'ending'],
  absent: ['packaging', 'ending'],
  ending: ['ended'],
  ended: [],
}

/** Returns the state after an event. The state stays the same if the event is too late, for example after the end. */
export function toState(state: AirState, next: AirState): AirState {
  return successors[state.name].includes(next.name) ? next : state
}
