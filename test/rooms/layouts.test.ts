import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Composite } from '../../workers/rooms/air/composite.ts'
import type { Room } from '../../workers/rooms/gateway/room.ts'
import type { ForwardPorts, OnStage } from '../../workers/rooms/gateway/stage.ts'
import { colourAt, makeFilm, sendFilm } from '../support/composite.ts'
import { until } from '../support/until.ts'

const folder = t.testdir()
const isRed = ([red = 0, , blue = 0]: number[]) => red > 150 && blue < 100
const isBlue = ([red = 0, , blue = 0]: number[]) => blue > 150 && red < 100

t.test('a picture is laid out anew while it is on the air: all alike, who speaks, a screen', async (t) => {
  const [red, blue] = await Promise.all([makeFilm(folder, 'red'), makeFilm(folder, 'blue')])
  const person = (participantId: string, more: Partial<OnStage> = {}): OnStage => ({
    participantId,
    name: participantId,
    feed: participantId,
    audio: true,
    video: 'camera',
    ...more,
  })
  const room: { stage: OnStage[]; layout: string; speaker: string | undefined } & Record<string, unknown> = {
    id: 'room',
    name: 'Layouts',
    maxParticipants: 4,
    members: new Map(),
    stage: [person('ann'), person('bob')],
    layout: 'grid',
    speaker: undefined,
    // Ann's camera is red, and what else there is blue.
    forward: async (id: string, to: ForwardPorts, isBeside = false) => {
      const sender = sendFilm(t, id === 'ann' && (isBeside || room.layout !== 'screen') ? red : blue, to)
      return async () => void sender.kill('SIGKILL')
    },
  }
  const path = join(folder, 'layouts.mp4')
  const file = createWriteStream(path)
  let seconds = 0
  const passes = async (more: number) => {
    const goal = seconds + more
    await until(() => seconds >= goal, { timeout: 90_000, what: `${more} s of output` })
    return seconds
  }
  const composite = await Composite.start(room as unknown as Room, {
    width: 320,
    height: 180,
    frameRate: 25,
    folder,
    output: { take: (media) => void media.pipe(file) },
    onRunning: (running) => {
      seconds = running
    },
  })
  t.teardown(() => composite.stop())
  const follows = async (more: object, wait: number) => {
    Object.assign(room, more)
    await composite.follow()
    return await passes(wait)
  }
  const grid = await follows({}, 6)
  const bobSpeaks = await follows({ layout: 'speaker', speaker: 'bob' }, 3)
  const annSpeaks = await follows({ speaker: 'ann' }, 3)
  const shares = person('ann', { video: 'screen' })
  const beside = person('ann', { audio: false, isBeside: true })
  const screen = await follows({ layout: 'screen', stage: [shares, beside], speaker: undefined }, 6)
  await composite.stop()
  if (!file.closed) await once(file, 'close')
  const colour = (at: number, region: string) => colourAt(path, at - 0.5, region)
  const [left, right, large, strip] = ['40:20:60:80', '40:20:220:80', '60:60:100:60', '20:10:278:84'] as const
  t.ok(isRed(await colour(grid, left)) && isBlue(await colour(grid, right)), 'all alike')
  t.ok(isBlue(await colour(bobSpeaks, large)), 'who speaks is large')
  t.ok(isRed(await colour(bobSpeaks, strip)), 'and who listens beside')
  t.ok(isRed(await colour(annSpeaks, large)) && isBlue(await colour(annSpeaks, strip)), 'as another speaks')
  t.ok(isBlue(await colour(screen, large)), 'a screen is large')
  t.ok(isRed(await colour(screen, strip)), 'and the camera of who shares it beside')
})
