import type { Caller } from '#sql/account/keys.ts'
import { actOfCall, keyActor } from '../http/acting.ts'

/** What of a call says who acts. */
export type Acting = Pick<Caller, 'org' | 'key'> & { requestId: string; ip: string }

/** A key as who acts. */
export const actOfKey = (call: Acting) => actOfCall({ ...call, actor: keyActor(call.key) })
