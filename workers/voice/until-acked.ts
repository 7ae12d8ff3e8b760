import { transactionMs } from './endpoint.ts'
import type { Request } from './sip/library.ts'

const t1Ms = 500
const t2Ms = 4_000

/**
 * Repeats a 2xx to an INVITE until its ACK arrives (RFC 3261 13.3.1.4). The package does not do this. Resolves with the
 * ACK, or with undefined if none arrives.
 */
export async function repeatUntilAcked(
  respond: () => void,
  listen: (acked: (ack: Request) => void) => void,
): Promise<Request | undefined> {
  const { promise, resolve } = Promise.withResolvers<Request | undefined>()
  listen(resolve)
  const until = Date.now() + transactionMs
  let timer: NodeJS.Timeout | undefined
  const send = (wait: number) => {
    respond()
    timer = setTimeout(() => (Date.now() > until ? resolve(undefined) : send(Math.min(t2Ms, wait * 2))), wait)
  }
  send(t1Ms)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}
