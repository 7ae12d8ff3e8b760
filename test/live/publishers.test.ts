import { test } from 'tap'
import type { Channel } from '#sql/live/channels.ts'
import {
  findDropReason,
  findRefusalReason,
  getUnpackagedReason,
  outranks,
  type PublisherState,
  selectBestSource,
} from '#tasks/live/rules/publishers.ts'

const channel = { primary_hash: 'p', backup_hash: 'b', srt_passphrase: 's' } as Channel
const well: PublisherState = { source: 'primary', hash: 'p', isSilent: false, isMute: false, hasSpare: false }
const nothing = { arrives: async () => false, hasData: async () => false }
const something = { arrives: async () => true, hasData: async () => true }

test('the primary goes before SRT, and that before the backup', async (t) => {
  t.ok(outranks('backup', undefined))
  t.ok(outranks('primary', 'srt') && outranks('srt', 'backup'))
  t.notOk(outranks('backup', 'primary') || outranks('srt', 'srt'))
  t.equal(selectBestSource(new Set(['backup', 'srt'] as const)), 'srt')
  t.equal(selectBestSource(new Set()), undefined)
})

test('a former key opens nothing, and one in use is taken over from a silent publisher only', async (t) => {
  const key = { channel, source: 'primary', hash: 'p' } as const
  t.equal(findRefusalReason(key), undefined)
  t.equal(findRefusalReason({ ...key, isFormer: true }, { isSilent: true }), 'key_rotated')
  t.equal(findRefusalReason(key, { isSilent: false }), 'key_in_use')
  t.equal(findRefusalReason(key, { isSilent: true }), undefined)
})

test('a publisher stays while its key holds, something comes, or nobody waits', async (t) => {
  const cases: [Partial<PublisherState>, typeof nothing, string | undefined][] = [
    [{}, nothing, undefined],
    [{ hash: 'old' }, something, 'key_rotated'],
    [{ source: 'backup', hash: 'b' }, something, undefined],
    [{ source: 'srt', hash: 'p' }, something, 'key_rotated'],
    [{ isSilent: true }, nothing, undefined],
    [{ isSilent: true, hasSpare: true }, nothing, 'silent'],
    [{ isSilent: true, hasSpare: true }, something, undefined],
    [{ isMute: true }, nothing, 'silent'],
    [{ isMute: true }, something, undefined],
  ]
  for (const [state, connection, why] of cases)
    t.equal(await findDropReason(channel, { ...well, ...state }, connection), why, JSON.stringify(state))
  t.same(
    [getUnpackagedReason(['audio', 'video']), getUnpackagedReason(['audio'])],
    ['no_key_frame', 'unsupported_codecs'],
  )
})
