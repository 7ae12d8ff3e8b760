import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { exitOf, liveStack, type TestChannel } from '../support/live-stack.ts'
import { killPackager, type Shown, shown } from './shown.ts'

const stack = await liveStack(t)
const { publish, rtmp } = stack
await stack.startLive({ LIVE_RECONNECT_SECONDS: '20' })
const rounds = 20
const groups = [1, 2, 4]
const long = { seconds: 1_500 }

/** What a channel said of itself each time it said `live`, until `over` is. */
async function claims(channel: TestChannel, over: Promise<unknown>): Promise<string[]> {
  const heard = new Set<string>()
  let isOver = false
  const end = over.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await pause(200)
    const { state, stream } = await channel.read()
    if (state === 'live') heard.add(`${stream.videoCodec ? 'video' : 'none'} ${stream.audioCodec ? 'audio' : 'none'}`)
  }
  await end
  return [...heard]
}

/** Has a fault happen again and again; how often pictures and sound came behind it. */
async function survived(viewer: Shown, name: string, fault: () => Promise<void>, mend?: () => Promise<void>) {
  let whole = 0
  const took: number[] = []
  for (let round = 0; round < rounds; round++) {
    const began = Date.now()
    const segment = await viewer.behindBreak(fault)
    took.push(Date.now() - began)
    if (`${await viewer.tracks(segment)}` === 'audio,video') whole++
    if (mend) await viewer.behindBreak(mend)
  }
  const [median, longest] = [took.toSorted((a, b) => a - b)[rounds / 2], Math.max(...took)]
  t.comment(`${name}: ${whole} of ${rounds}, a segment behind the fault after ${median} ms, at most ${longest} ms`)
  return whole
}

t.test('a killed packager comes back with pictures and sound', async (t) => {
  const each = groups.map(async (group) => {
    const channel = await stack.makeChannel({ visibility: 'unlisted', record: false })
    const publisher = publish(rtmp(channel.primary), { ...long, group })
    await channel.state('live')
    const work = survived(shown(stack, channel), `killed, ${group} s`, () => killPackager(channel, 'primary'))
    const said = await claims(channel, work)
    t.equal(await work, rounds, `key frames ${group} s apart`)
    t.same(said, ['video audio'], 'what is live has both')
    publisher.kill('SIGKILL')
  })
  await Promise.all(each)
})

t.test('a backup that publishes already takes over with pictures and sound', async (t) => {
  const each = groups.map(async (group) => {
    const channel = await stack.makeChannel({ visibility: 'unlisted', record: false })
    const start = (key: string) => publish(rtmp(key), { ...long, group })
    let primary: ChildProcess = start(channel.primary)
    await channel.state('live', 'primary')
    const backup = start(channel.backup)
    await channel.state('live', 'primary')
    const fail = async () => {
      primary.kill('SIGKILL')
      await exitOf(primary)
    }
    const mend = async () => {
      primary = start(channel.primary)
    }
    const viewer = shown(stack, channel)
    await viewer.keyFrame()
    const work = survived(viewer, `switched, ${group} s`, fail, mend)
    const said = await claims(channel, work)
    t.equal(await work, rounds, `key frames ${group} s apart`)
    t.same(said, ['video audio'], 'what is live has both')
    for (const publisher of [primary, backup]) publisher.kill('SIGKILL')
  })
  await Promise.all(each)
})

t.test('a packager that is killed between two key frames comes back with pictures', async (t) => {
  const killed = await stack.makeChannel({ visibility: 'unlisted', record: false })
  const publisher = publish(rtmp(killed.primary), { ...long, group: 4 })
  const viewer = shown(stack, killed)
  await killed.state('live')
  // The next one is as far away as can be.
  await viewer.keyFrame()
  const segment = await viewer.behindBreak(() => killPackager(killed, 'primary'))
  t.same(await viewer.tracks(segment), ['audio', 'video'])
  const { stream } = await killed.state('live')
  t.match(stream, { videoCodec: /^avc1/, audioCodec: /^mp4a/, warnings: [] })
  publisher.kill('SIGKILL')
})
