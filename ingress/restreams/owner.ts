import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import type { Reason, Restreams, RestreamView } from '#sql/live/restream-queries.ts'
import type { ProblemKind } from '../http/problem-kinds.ts'

/** Describes the owner of restream targets: a live channel or a room. */
export interface RestreamOwner {
  area: 'live' | 'rooms'
  /** Name of the owner in errors. */
  noun: 'channel' | 'room'
  /** Name of the owner in the error that it does not exist. */
  what: 'live channel' | 'room'
  path: '/live/channels/{channelId}' | '/rooms/{roomId}'
  param: 'channelId' | 'roomId'
  targets: Restreams
  sealPurpose: string
  find(db: Db, orgId: string, id: string): Promise<{ name: string } | null>
  /** Throws if the owner does not exist or its targets cannot be changed. Holds it until the transaction ends. */
  hold(tx: Db, orgId: string, id: string): Promise<unknown>
  /** Throws if the plan does not allow an enabled target. */
  admitEnabled?(tx: Db, orgId: string, id: string, plan: Caller['plan']): Promise<void>
  /** Is called after each change. `enabled`: the target is enabled after the change. */
  changed?(tx: Db, id: string, enabled: boolean): Promise<unknown>
  messageOf(reason: Reason): string
  createProblems?: readonly ProblemKind[]
  updateProblems?: readonly ProblemKind[]
  texts: Record<'create' | 'list' | 'read' | 'update' | 'remove' | 'idle' | 'live', string> & {
    of: string
  }
}

/** Returns the state that the API shows, with the reason that belongs to it. */
export function getRestreamStatus({ shown, state, reason, told_at }: RestreamView) {
  const isTold = shown !== 'idle' && shown === state
  return { state: shown, reason: isTold ? reason : null, changedAt: isTold ? told_at : null }
}
