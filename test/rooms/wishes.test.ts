import { test } from 'tap'
import type { Participant } from '#sql/rooms/participants.ts'
import type { Wish } from '#tasks/rooms/engine.ts'
import { permissionsOf } from '#tasks/rooms/rules/permissions.ts'
import { consequenceOf } from '#tasks/rooms/rules/wishes.ts'

const ann = { connection_id: 'c1', participant_id: 'ann' } as Participant
const wish: Wish = {
  room_id: 'r',
  participant_id: 'ann',
  connection_id: 'c1',
  role: 'viewer',
  kicked_at: null,
  mute_requested: ['audio'],
}

test('what the API wants of a connection', async (t) => {
  t.same(consequenceOf(ann, [wish]), { out: undefined, role: 'viewer', mutes: ['audio'] })
  t.same(consequenceOf(ann, [{ ...wish, kicked_at: new Date() }]), { out: 'kicked' })
  t.same(consequenceOf(ann, [{ ...wish, connection_id: 'c2' }]), { out: 'replaced' }, 'another of theirs is in')
  t.same(consequenceOf(ann, [{ ...wish, connection_id: 'c2', participant_id: 'bob' }]), { out: 'connection_lost' })
})

test('hosts moderate, and viewers publish nothing', async (t) => {
  t.same(permissionsOf('host', 'all'), { publish: true, moderate: true, chat: true })
  t.same(permissionsOf('participant', 'all'), { publish: true, moderate: false, chat: true })
  t.same(permissionsOf('viewer', 'all'), { publish: false, moderate: false, chat: true })
  const chat = (rule: 'publishers' | 'off') =>
    (['host', 'participant', 'viewer'] as const).map((role) => permissionsOf(role, rule).chat)
  t.same(chat('publishers'), [true, true, false])
  t.same(chat('off'), [false, false, false])
})
