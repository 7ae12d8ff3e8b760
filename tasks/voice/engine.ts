import type { Call, Ending, LegChange } from '#sql/voice/calls.ts'
import type { Leg } from '#sql/voice/legs.ts'

export interface CallControl {
  /**
   * Starts a queued call and returns when the call belongs to this worker. The call’s row then contains the progress.
   * Ignores a call that is no longer queued. Throws `Later` if the worker is at capacity.
   */
  dial(callId: string, signal: AbortSignal): Promise<void>
}

export type Side = Leg['leg']

export interface CallPlan<Trunk> {
  call: Call
  a: { number: string; trunk: Trunk }
  /** Undefined for a call that speaks to one telephone. */
  b: { number: string; trunk: Trunk } | undefined
}

export interface OrphanedCall {
  call: Call
  legs: readonly Leg[]
}

export interface CallRecords {
  register(board: { address: string; capacity: number; callsPerSecond: number }): Promise<void>
  /**
   * Claims a queued call and plans it. Returns undefined if the call is no longer queued, or if a number has no trunk.
   * A call without a trunk fails.
   */
  begin<Trunk>(callId: string, trunkTo: (number: string) => Trunk | undefined): Promise<CallPlan<Trunk> | undefined>
  news(heldCallIds: readonly string[]): Promise<readonly { id: string; taken: boolean }[]>
  /** Claims some calls of workers whose lease has expired, so that their dialogs are ended here. */
  adopt(): Promise<readonly OrphanedCall[]>
  endOrphan(orphan: OrphanedCall): Promise<void>
  /**
   * Stores the progress of a call. If the database is unavailable, retries for the duration of a lease. Returns false
   * if the call belongs to another worker.
   */
  move(callId: string, to: 'ringing' | 'in_progress' | undefined, changes: readonly LegChange[]): Promise<boolean>
  /** Stores the end of a call. Retries for half a minute if the database is unavailable. */
  end(callId: string, ending: Ending, legs: Readonly<Record<Side, LegOutcome>>): Promise<void>
  /** Stores the response of a trunk: its SIP status and the round-trip time in milliseconds. */
  noteTrunk(name: string, status: number, rttMs: number): Promise<void>
}

export interface LegOutcome {
  isAnswered: boolean
  refused: Ending['status'] | undefined
}
