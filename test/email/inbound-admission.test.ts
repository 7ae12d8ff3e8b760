import t from 'tap'
import { createAdmission, longestBusyMs, longestIdleMs } from '../../ingress/email/inbound/admission.ts'
import { inboundStack } from './inbound-fixture.ts'
import { dial } from './smtp-client.ts'

const limits = { connections: 2, perMinute: 2, all: 4, replaceableMs: 5_000 }

/** An admission whose clock the test moves, and the addresses that were turned away. */
function admission() {
  const turnedAway: string[] = []
  let now = 0
  const { open, sweep } = createAdmission(limits, () => now)
  return {
    turnedAway,
    sweep,
    open: (address: string) => open(address, () => void turnedAway.push(address)),
    pass(ms: number) {
      now += ms
    },
  }
}

t.test('a new connection takes the place of the one that was idle longest, of its network first', async (t) => {
  const { open, pass, turnedAway } = admission()
  for (const address of ['192.0.2.1', '192.0.2.2', '198.51.100.1', '2001:db8::1']) {
    open(address)
    pass(1_000)
  }
  t.throws(() => open('192.0.2.3'), /network/, 'none of its network is idle yet')
  t.throws(() => open('203.0.113.1'), /connections/, 'none of the others is')
  pass(limits.replaceableMs)
  open('192.0.2.3')
  open('203.0.113.1')
  t.same(turnedAway, ['192.0.2.1', '192.0.2.2'])
  open('2001:db8::2')
  t.same(turnedAway.slice(2), ['198.51.100.1'], 'each network has one: the longest of the first')
  pass(limits.replaceableMs)
  open('2001:db8::ffff')
  t.same(turnedAway.slice(3), ['2001:db8::1'], 'a /64 is one network')
})

t.test('parts of a mail are progress; a mail that is being stored is never cut', async (t) => {
  const { open, pass, sweep, turnedAway } = admission()
  const [slow, quick] = [open('192.0.2.1'), open('192.0.2.2')]
  const storing = slow.storing()
  pass(longestIdleMs)
  quick.progress()
  sweep()
  t.throws(() => open('192.0.2.3'), /network/)
  t.same(turnedAway, [])
  storing.done()
  pass(longestIdleMs)
  sweep()
  t.same(turnedAway, ['192.0.2.1', '192.0.2.2'])
  for (const one of [slow, quick]) one.count()
  t.throws(() => slow.count(), /Too much email/)
  pass(60_000)
  slow.count()
})

t.test('clients of a few networks that send slowly do not keep out one of another network', async (t) => {
  const { open, pass, turnedAway } = admission()
  const slow = ['192.0.2.1', '192.0.2.2', '198.51.100.1', '198.51.100.2'].map(open)
  const drip = (ms: number) => {
    for (let at = 0; at < ms; at += 4_000) {
      pass(4_000)
      for (const one of slow) one.progress()
    }
  }
  drip(longestBusyMs / 2)
  t.throws(() => open('203.0.113.1'), /connections/, 'each may take a while')
  drip(longestBusyMs / 2)
  open('203.0.113.1')
  t.same(turnedAway, ['192.0.2.1'])
  t.throws(() => open('192.0.2.3'), /connections/, 'its own network has no more than the others')
})

t.test('idle connections of many networks do not keep a new one out', async (t) => {
  const stack = await inboundStack(t, { connections: 3, perMinute: 100, all: 6, replaceableMs: 0 })
  const held = []
  for (const network of [2, 3])
    for (const host of [1, 2, 3]) held.push(await dial(t, stack.port, `127.0.${network}.${host}`))
  for (const { greeting, client } of held) t.match([greeting, await client.say('NOOP')], [/^220/, /^250/])
  const { greeting, client } = await dial(t, stack.port)
  t.match(greeting, /^220 /)
  t.match(await client.say('EHLO mx.rcpt.example'), /^250/)
  t.match(await held[0]?.client.hear(), /^421 .*Idle/)
  t.match(await held[5]?.client.say('NOOP'), /^250/, 'the others are left alone')
})
