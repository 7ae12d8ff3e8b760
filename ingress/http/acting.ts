import { loggedNetwork } from '#lib/network.ts'
import type { Act, Actor } from '#sql/account/audit.ts'
import type { Caller } from '#sql/account/keys.ts'

/** What of a call says who acts: behind a page that is its member, else the key. */
export interface ActingCall {
  org: Pick<Caller['org'], 'id'>
  actor: Actor
  requestId: string
  ip: string
}

/** A key as the audit log names it. */
export const keyActor = ({ id, name }: Pick<Caller['key'], 'id' | 'name'>) =>
  ({ kind: 'key', id, name }) as const satisfies Actor

/** What the audit log tells of who acts by a call. */
export const actOfCall = ({ org, actor, requestId, ip }: ActingCall) =>
  ({ orgId: org.id, actor, requestId, network: loggedNetwork(ip) }) satisfies Partial<Act>
