import { domainOf } from '#lib/email-address.ts'
import type { MailEngine } from '../engine.ts'
import { localAddresses } from './ip-addresses.ts'

/** A mail that is no organisation's. */
export interface OwnMail {
  to: string
  /** By which the other side may report on it (RFC 3461 §4.4). */
  id: string
  bytes: Buffer
}

/** Hands over one mail that is no organisation's, from `<>`: nothing comes back for it. Rejects when it was not taken. */
export async function forward(mail: MailEngine, { to, id, bytes }: OwnMail, signal: AbortSignal): Promise<void> {
  const route = await mail.route(domainOf(to))
  if ('replyClass' in route) throw new Error(`${route.enhanced} ${route.text}`)
  const [address] = localAddresses('transactional')
  if (!address) throw new Error('The pool has no address to send from.')
  const connection = mail.connect(route, address, signal)
  try {
    const letter = { from: '', to, envelopeId: id, bytes, is8Bit: true }
    const result = await connection.send(letter, async () => true)
    if (result?.outcome === 'accepted') return
    if (result?.outcome === 'unreachable') throw new Error('No host of the MX set could be reached.')
    const { code, text } = result?.reply ?? { code: null, text: 'the worker ends' }
    throw new Error([code, text].filter((part) => part !== null).join(' '))
  } finally {
    connection.end()
  }
}
