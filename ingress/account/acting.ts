import type { Caller } from '#sql/account/keys.ts'
import { actorOfCall, keyActor } from '../http/acting.ts'

export type Acting = Pick<Caller, 'org' | 'key'> & { requestId: string; ip: string }

export const actForKey = (call: Acting) => actorOfCall({ ...call, actor: keyActor(call.key) })
