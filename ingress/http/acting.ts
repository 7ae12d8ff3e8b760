import { loggedNetwork } from '#lib/network.ts'
import type { Actor } from '#sql/account/audit.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Doer } from '#tasks/account/rules/doer.ts'

/** What of a call says who acts: behind a page that is its member, else the key. */
export interface ActingCall {
  org: Pick<Caller['org'], 'id'>
  key?: Pick<Caller['key'], 'secret_id'>
  actor: Actor
  requestId: string
  ip: string
}

/** A key as the audit log names it. */
export const keyActor = ({ id, name }: Pick<Caller['key'], 'id' | 'name'>) =>
  ({ kind: 'key', id, name }) as const satisfies Actor

/** Who acts by a call; what they may do is read anew by the rules. */
export const actOfCall = ({ org, key, actor, requestId, ip }: ActingCall) =>
  ({
    orgId: org.id,
    actor,
    requestId,
    network: loggedNetwork(ip),
    secretId: actor.kind === 'key' ? key?.secret_id : undefined,
  }) satisfies Doer
