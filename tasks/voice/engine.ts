import type { Call, Ending, LegChange } from '#sql/voice/calls.ts'
import type { Leg } from '#sql/voice/legs.ts'

/** What holds calls on a worker: the SIP dialogs of both legs (workers/voice). */
export interface CallControl {
  /**
   * Begins a waiting call and returns once it is this worker's; from then on the call's row tells what becomes of it. A call that
   * is not waiting any more is left alone. Throws `Later` while there is no room for one more.
   */
  dial(callId: string, signal: AbortSignal): Promise<void>
}

/** One of the two ends of a call. */
export type Side = Leg['leg']

/** A call to be made: the number of each side, and the trunk that leads to it. */
export interface CallPlan<Trunk> {
  call: Call
  a: { number: string; trunk: Trunk }
  b: { number: string; trunk: Trunk }
}

/** A call whose worker is gone. */
export interface OrphanedCall {
  call: Call
  legs: readonly Leg[]
}

/** The calls of one worker, as they are written. It has a call for as long as its lease holds. */
export interface CallRecords {
  /** Registers this worker as one that holds calls; `address` is by which trunks reach it. */
  register(board: { address: string; capacity: number; callsPerSecond: number }): Promise<void>
  /** Takes a waiting call, and plans it; undefined when it waits no more, or no trunk leads to one of its sides: then it has failed. */
  begin<Trunk>(callId: string, trunkTo: (number: string) => Trunk | undefined): Promise<CallPlan<Trunk> | undefined>
  /** Of the calls that this worker holds, those that are another's by now (`taken`), and those whose end was asked for. */
  news(heldCallIds: readonly string[]): Promise<readonly { id: string; taken: boolean }[]>
  /** Takes calls of workers whose lease is over, so that their dialogs are ended here; some at a time. */
  adopt(): Promise<readonly OrphanedCall[]>
  /** Ends an adopted call, whose dialogs have been ended. */
  endOrphan(orphan: OrphanedCall): Promise<void>
  /** Writes how a call goes on, kept for a lease while the database is away; false when it is another's. */
  move(callId: string, to: 'ringing' | 'in_progress' | undefined, changes: readonly LegChange[]): Promise<boolean>
  /** Writes how a call ended, tried for half a minute. */
  end(callId: string, ending: Ending, legs: Readonly<Record<Side, LegOutcome>>): Promise<void>
  /** Notes how a trunk has answered: with a SIP status, after so many milliseconds. */
  noteTrunk(name: string, status: number, rttMs: number): Promise<void>
}

/** How far one side of a call came: it was answered, or its INVITE was refused for a reason that ended the call. */
export interface LegOutcome {
  isAnswered: boolean
  refused: Ending['status'] | undefined
}
