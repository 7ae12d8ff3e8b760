import { domainOf } from '#lib/email-address.ts'
import { newId } from '#lib/ids.ts'
import type { Forwarded } from '#tasks/email/engine.ts'
import { localAddresses } from '#tasks/email/rules/ip-addresses.ts'
import { Line } from './line.ts'
import type { Shared } from './site.ts'

/** What it takes of a pool. */
type Ground = Pick<Shared, 'pool' | 'router' | 'sessions'>

/** Hands over one mail that is no organisation's, from `<>`: nothing comes back for it. Rejects when it was not taken. */
export async function forward(shared: Ground, { to, id, bytes }: Forwarded, signal: AbortSignal): Promise<void> {
  const domain = domainOf(to)
  const route = await shared.router.route(domain)
  if ('replyClass' in route) throw new Error(`${route.enhanced} ${route.text}`)
  const [address] = localAddresses(shared.pool)
  if (!address) throw new Error('The pool has no address that mail leaves from.')
  const line = new Line(shared, { id: newId(), domain, route, address, interval: 0, mayGrow: false }, signal)
  try {
    const letter = { from: '', to, envelopeId: id, bytes, is8Bit: true }
    const tried = await line.send(letter, async () => true)
    if (tried?.sent.outcome === 'accepted') return
    const { code, text } = tried?.sent.reply ?? { code: null, text: 'the worker ends' }
    throw new Error([code, text].filter((part) => part !== null).join(' '))
  } finally {
    line.end()
  }
}
