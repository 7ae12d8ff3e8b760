import { test } from 'tap'
import type { Participant } from '#sql/rooms/participants.ts'
import type { RequestedChange } from '#tasks/rooms/engine.ts'
import { getPermissions } from '#tasks/rooms/rules/permissions.ts'
import { resolveRequests } from '#tasks/rooms/rules/wishes.ts'
import { Subscriber } from '../../workers/rooms/gateway/subscriber.ts'
import type { SubscribedStream } from '../../workers/rooms/janus/video-room.ts'
import { until } from '../support/until.ts'

const ann = { connection_id: 'c1', participant_id: 'ann' } as Participant
const wish: RequestedChange = {
  room_id: 'r',
  participant_id: 'ann',
  connection_id: 'c1',
  role: 'viewer',
  kicked_at: null,
  mute_requested: ['audio'],
}

test('what the API wants of a connection', async (t) => {
  t.same(resolveRequests(ann, [wish]), { out: undefined, role: 'viewer', mutes: ['audio'] })
  t.same(resolveRequests(ann, [{ ...wish, kicked_at: new Date() }]), { out: 'kicked' })
  t.same(resolveRequests(ann, [{ ...wish, connection_id: 'c2' }]), { out: 'replaced' }, 'another of theirs is in')
  t.same(resolveRequests(ann, [{ ...wish, connection_id: 'c2', participant_id: 'bob' }]), { out: 'connection_lost' })
})

test('hosts moderate, and viewers publish nothing', async (t) => {
  t.same(getPermissions('host', 'all'), { publish: true, moderate: true, chat: true })
  t.same(getPermissions('participant', 'all'), { publish: true, moderate: false, chat: true })
  t.same(getPermissions('viewer', 'all'), { publish: false, moderate: false, chat: true })
  const chat = (rule: 'publishers' | 'off') =>
    (['host', 'participant', 'viewer'] as const).map((role) => getPermissions(role, rule).chat)
  t.same(chat('publishers'), [true, true, false])
  t.same(chat('off'), [false, false, false])
})

test('who comes in the place of somebody hidden who has left is seen', async (t) => {
  const stream = (feed: string) => ({ feed, mid: 'v', participantId: feed, kind: 'video', source: 'camera' })
  let wanted = [stream('ann')]
  const at = (active: boolean): SubscribedStream[] => [
    { mid: '0', type: 'video', active, ...(active && { feed_id: wanted[0]?.feed, feed_mid: 'v' }) },
  ]
  const chosen: unknown[] = []
  let offers = 0
  const subscribing = {
    update: async (add: readonly unknown[]) => ({ sdp: 'offer', streams: at(add.length > 0) }),
    choose: async (choices: unknown) => void chosen.push(choices),
    ...{ answer: async () => {}, trickle: async () => {}, detach: async () => {} },
  }
  const room = { subscribe: async () => ({ subscribing, sdp: 'offer', streams: at(true) }) }
  const send = () => void offers++
  const subscriber = new Subscriber(
    async () => room,
    () => wanted,
    { send, lost() {} },
  )
  const turn = async (next: typeof wanted) => {
    wanted = next
    const before = offers
    subscriber.follow()
    await until(() => offers > before, { every: 1, timeout: 10_000 })
    await subscriber.answer({ type: 'answer', sdp: 'answer' })
  }
  await turn(wanted)
  await subscriber.layers({ type: 'layers', tracks: [{ mid: '0', layer: 'none' }] })
  await turn([])
  await turn([stream('bob')])
  t.same(chosen, [[{ mid: '0', send: false }], [{ mid: '0', send: true }]])
})
