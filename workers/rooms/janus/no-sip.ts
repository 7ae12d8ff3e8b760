import { z } from 'zod'
import type { Janus } from './janus.ts'
import type { Handle, JanusMessage } from './session.ts'

const Reply = z.looseObject({ result: z.looseObject({ event: z.string(), sdp: z.string().optional() }) })

export interface PlainPeer {
  offer: string
  answer(sdp: string): Promise<string>
  trickle: Handle['trickle']
  detach(): Promise<void>
}

/**
 * Opens a connection that accepts an offer and connects it to plain RTP on this host. `hear` receives the messages of
 * Janus about the connection.
 */
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
