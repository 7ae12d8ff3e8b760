import { getDomain } from '#lib/email-address.ts'
import type { MailEngine } from '../../engine.ts'
import { localAddresses } from '../ip-addresses.ts'

export interface OwnMail {
  to: string
  /** ID for reports by the receiving server (RFC 3461 §4.4). */
  id: string
  bytes: Buffer
}

/** Sends one email of this installation from `<>`, so that no bounce returns. Throws if the email was not accepted. */
export async function forward(mail: MailEngine, { to, id, bytes }: OwnMail, signal: AbortSignal): Promise<void> {
  const route = await mail.route(getDomain(to))
  if ('replyClass' in route) throw new Error(`${route.enhanced} ${route.text}`)
  const [address] = localAddresses('transactional')
  if (!address) throw new Error('The pool has no address to send from.')
  const connection = mail.connect(route, address, signal)
  try {
    const letter = { from: '', to, envelopeId: id, bytes, is8Bit: true }
    const result = await connection.send(letter, async () => true)
    if (result?.outcome === 'accepted') return
    if (result?.outcome === 'unreachable') throw new Error('No host of the MX set could be reached.')
    const { code, text } = result?.reply ?? { code: null, text: 'the worker is stopping' }
    throw new Error([code, text].filter((part) => part !== null).join(' '))
  } finally {
    connection.end()
  }
}
