import type { Response } from 'sip'
import type { Invitation } from './invitation.ts'

export type LegState =
  | { name: 'new' }
  | { name: 'inviting'; invitation: Invitation; response: Promise<Response> }
  | { name: 'established' }
  /** An offer is pending. The offer also refreshes the session. */
  | { name: 'offering' }
  /** `ended` resolves when the remote side has confirmed the end or cannot be reached. */
  | { name: 'ending'; ended: Promise<void> }
  | { name: 'ended' }

type StateName = LegState['name']

const successors: Record<StateName, readonly StateName[]> = {
  new: ['inviting', 'established', 'ending'],
  // The INVITE is sent again with credentials, or with a longer session interval.
  inviting: ['inviting', 'established', 'ending'],
  established: ['offering', 'ending', 'ended'],
  offering: ['established', 'ending', 'ended'],
  ending: ['ended'],
  ended: [],
}

/**
 * Returns the state after an event. The state stays the same if the event is too late. For example, an answer does not
 * establish a leg that is ending.
 */
export function toState(state: LegState, next: LegState): LegState {
  return successors[state.name].includes(next.name) ? next : state
}

export const isOver = ({ name }: LegState): boolean => name === 'ending' || name === 'ended'
