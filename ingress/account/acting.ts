import type { Caller } from '#sql/account/keys.ts'
import { grantorOf } from '#tasks/account/rules/grant.ts'
import type { By } from '#tasks/account/rules/keys.ts'
import { actOfCall, keyActor } from '../http/acting.ts'

/** What of a call says who acts. */
export type Acting = Pick<Caller, 'org' | 'key'> & { requestId: string; ip: string }

/** What the audit log tells of a key that acts. */
export const actOfKey = ({ key, ...call }: Acting) => actOfCall({ ...call, actor: keyActor(key) })

/** A key as who acts on keys: with what it holds. */
export const byKey = (call: Acting): By => ({ ...actOfKey(call), grantor: grantorOf(call.key) })
