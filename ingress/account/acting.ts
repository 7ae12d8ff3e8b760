import type { Caller } from '#sql/account/keys.ts'
import { actOfCall, keyActor } from '../http/acting.ts'

export type Acting = Pick<Caller, 'org' | 'key'> & { requestId: string; ip: string }

export const actOfKey = (call: Acting) => actOfCall({ ...call, actor: keyActor(call.key) })
