import { z } from 'zod'
import type { Janus } from './janus.ts'
import type { Handle, JanusMessage } from './session.ts'

/** What NoSIP says of an offer: the same in plain RTP, with the ports that it takes media on. */
const Reply = z.looseObject({ result: z.looseObject({ event: z.string(), sdp: z.string().optional() }) })

/** Somebody who is sent what comes as plain RTP. */
export interface PlainPeer {
  /** Their offer in plain RTP. */
  offer: string
  /** Takes the answer in plain RTP; gives theirs. */
  answer(sdp: string): Promise<string>
  trickle: Handle['trickle']
  detach(): Promise<void>
}

/** Opens a connection that takes an offer and joins it to plain RTP of this host; `hear` is given what Janus says of it. */
export async function openPlain(janus: Janus, sdp: string, hear: (message: JanusMessage) => void): Promise<PlainPeer> {
  const handle = await (await janus.session()).attach(hear, 'nosip')
  try {
    const { data } = await handle.ask({ request: 'generate' }, { type: 'offer', sdp })
    return {
      offer: Reply.parse(data).result.sdp ?? '',
      async answer(plain) {
        const { jsep } = await handle.ask({ request: 'process', type: 'answer', sdp: plain })
        return jsep?.sdp ?? ''
      },
      trickle: handle.trickle,
      detach: () => handle.detach(),
    }
  } catch (error) {
    await handle.detach()
    throw error
  }
}
