import { getLoggedNetwork } from '#lib/network/network.ts'
import type { Actor } from '#sql/account/audit.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Doer } from '#tasks/account/rules/doer.ts'

/**
 * The fields of a call that identify the actor. The actor is the member for calls from a dashboard page, otherwise the
 * key.
 */
export interface ActingCall {
  org: Pick<Caller['org'], 'id'>
  key?: Pick<Caller['key'], 'secret_id'>
  actor: Actor
  requestId: string
  ip: string
}

export const keyActor = ({ id, name }: Pick<Caller['key'], 'id' | 'name'>) =>
  ({ kind: 'key', id, name }) as const satisfies Actor

/** Returns the actor of a call. Rules read the actor’s permissions from the database. */
export const actorOfCall = ({ org, key, actor, requestId, ip }: ActingCall) =>
  ({
    orgId: org.id,
    actor,
    requestId,
    network: getLoggedNetwork(ip),
    secretId: actor.kind === 'key' ? key?.secret_id : undefined,
  }) satisfies Doer
