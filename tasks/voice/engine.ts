import type { Call, Ending, LegChange } from '#sql/voice/calls.ts'
import type { Leg } from '#sql/voice/legs.ts'

/** Holds the calls of a worker: the SIP dialogs of both legs (workers/voice). */
export interface CallControl {
  /**
   * Starts a queued call and returns when the call belongs to this worker. Its row then contains the progress. Ignores
   * a call that is no longer queued. Throws `Later` if the worker is at capacity.
   */
  dial(callId: string, signal: AbortSignal): Promise<void>
}

export type Side = Leg['leg']

/** A call to place: the number of each side, and its trunk. */
export interface CallPlan<Trunk> {
  call: Call
  a: { number: string; trunk: Trunk }
  b: { number: string; trunk: Trunk }
}

/** A call whose worker is dead. */
export interface OrphanedCall {
  call: Call
  legs: readonly Leg[]
}

/** Stores the calls of one worker. The worker has a call as long as its lease is valid. */
export interface CallRecords {
  /** Registers this worker. `address` is the address at which trunks reach it. */
  register(board: { address: string; capacity: number; callsPerSecond: number }): Promise<void>
  /**
   * Claims a queued call and plans it. Returns undefined if it is no longer queued, or if a number has no trunk; such a
   * call fails.
   */
  begin<Trunk>(callId: string, trunkTo: (number: string) => Trunk | undefined): Promise<CallPlan<Trunk> | undefined>
  /**
   * Returns, of the calls of this worker, the ones that another worker now has (`taken`) and the ones whose end was
   * requested.
   */
  news(heldCallIds: readonly string[]): Promise<readonly { id: string; taken: boolean }[]>
  /** Claims some calls of workers whose lease has expired, so that their dialogs are ended here. */
  adopt(): Promise<readonly OrphanedCall[]>
  /** Ends an adopted call after its dialogs have been ended. */
  endOrphan(orphan: OrphanedCall): Promise<void>
  /**
   * Stores the progress of a call. If the database is unavailable, retries for the duration of a lease. Returns false
   * if the call belongs to another worker.
   */
  move(callId: string, to: 'ringing' | 'in_progress' | undefined, changes: readonly LegChange[]): Promise<boolean>
  /** Stores the end of a call. Retries for half a minute. */
  end(callId: string, ending: Ending, legs: Readonly<Record<Side, LegOutcome>>): Promise<void>
  /** Stores the response of a trunk: its SIP status and the round-trip time in milliseconds. */
  noteTrunk(name: string, status: number, rttMs: number): Promise<void>
}

/** Progress of one side of a call: answered, or refused with a status that ended the call. */
export interface LegOutcome {
  isAnswered: boolean
  refused: Ending['status'] | undefined
}
