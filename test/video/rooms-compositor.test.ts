import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { layOut } from '../../workers/rooms/compositor/grid.ts'
import { type Compositor, startCompositor } from '../../workers/rooms/compositor/index.ts'
import type { Slot } from '../../workers/rooms/compositor/messages.ts'
import { colourAt, loudnessOf, makeFilm, regularityOf, sendFilm } from '../support/composite.ts'
import { until } from '../support/until.ts'

const folder = t.testdir()
const shape = { title: 'Stand-up & more', slots: 3, width: 320, height: 180, frameRate: 25, folder }

t.test('tiles fill the picture, and a last row is in its middle', async (t) => {
  t.same(layOut(1, 1280, 720), [{ x: 0, y: 0, width: 1280, height: 720 }])
  t.same(layOut(3, 1280, 720).at(-1), { x: 320, y: 360, width: 640, height: 360 })
  for (let count = 1; count <= 16; count++)
    for (const { x, y, width, height } of layOut(count, 1280, 720))
      t.ok(x >= 0 && y >= 0 && x + width <= 1280 && y + height <= 720 && (x | y | width | height) % 2 === 0)
})

t.test('people come, leave, are killed and come back, and the output has no gap', async (t) => {
  const [red, blue] = await Promise.all([makeFilm(folder, 'red'), makeFilm(folder, 'blue')])
  const path = join(folder, 'out.mp4')
  const file = createWriteStream(path)
  let seconds = 0
  const compositor = await startCompositor({
    ...shape,
    output: { take: (media) => void media.pipe(file) },
    onRunning: (running) => {
      seconds = running
    },
  })
  t.teardown(() => compositor.stop())
  const [first, second] = compositor.slots as [Slot, Slot]
  /** Waits until so much more was put out. */
  const passes = async (more: number) => {
    const goal = seconds + more
    await until(() => seconds >= goal, { timeout: 60_000, what: `${more} s of output` })
    return seconds
  }
  const empty = await passes(2)
  compositor.setName(first.index, 'Ann & <Bob> "quoted"')
  sendFilm(t, red, first)
  const alone = await passes(4)
  compositor.setName(second.index, 'Çelik 漢字')
  const victim = sendFilm(t, blue, second)
  const together = await passes(4)
  victim.kill('SIGKILL')
  await passes(2)
  compositor.setName(second.index, undefined)
  const left = await passes(2)
  compositor.setName(second.index, 'back')
  sendFilm(t, blue, second)
  const again = await passes(4)
  await compositor.stop()
  t.match(await compositor.ended, { reason: 'stopped' })
  if (!file.closed) await once(file, 'close')

  for (const stream of ['v', 'a'] as const) {
    const { longest, seconds: length } = await regularityOf(path, stream)
    t.ok(longest < 0.1, `${stream}: ${longest} s between two packets`)
    t.ok(length >= again - 0.5, `${stream}: ${length} s of ${again}`)
  }
  t.ok((await loudnessOf(path)) > -30, 'it is heard')
  const [all, leftTile, rightTile] = ['40:40:140:40', '40:20:60:80', '40:20:220:80']
  const [slate, corner] = ['120:20:100:80', '60:30:0:0']
  t.ok(isLit(await colourAt(path, empty - 0.5, slate)), 'the title stands in the middle while nobody is there')
  t.notOk(isLit(await colourAt(path, empty - 0.5, corner)), 'on black')
  t.ok(
    (await colourAt(path, alone - 0.5, slate)).slice(1).every((value) => value < 40),
    'and nowhere afterwards',
  )
  t.ok(isRed(await colourAt(path, alone - 0.5, all)), 'one alone has all of it')
  t.ok(isRed(await colourAt(path, together - 0.5, leftTile)))
  t.ok(isBlue(await colourAt(path, together - 0.5, rightTile)), 'two are beside each other')
  t.ok(isRed(await colourAt(path, left - 0.5, all)), 'who has left leaves their place to the other')
  t.ok(isBlue(await colourAt(path, again - 0.5, rightTile)), 'who came back is shown')
})

t.test('a compositor whose ingest is not there says so, and one that is killed', async (t) => {
  const refused = await startCompositor({ ...shape, output: { rtmp: 'rtmp://127.0.0.1:9/live/none' } })
  t.match(await refused.ended, { reason: 'failed', message: /.+/ })
})

t.test('packets of strangers end nothing', async (t) => {
  let seconds = 0
  const compositor: Compositor = await startCompositor({
    ...shape,
    output: { take: (media) => void media.resume() },
    onRunning: (running) => {
      seconds = running
    },
  })
  const { createSocket } = await import('node:dgram')
  const socket = createSocket('udp4')
  const send = (port: number, bytes: Buffer) => new Promise((resolve) => socket.send(bytes, port, '127.0.0.1', resolve))
  const [slot] = compositor.slots as [Slot]
  compositor.setName(slot.index, 'noise')
  for (let i = 0; i < 400; i++) {
    const bytes = Buffer.from(Array.from({ length: (i * 37) % 1200 }, (_, at) => (i * 131 + at * 71) % 256))
    // Every other one with the head of an RTP packet of the right kind.
    if (i % 2 && bytes.length > 12) Buffer.from([0x80, i % 4 === 1 ? 96 : 111, i >> 8, i & 255]).copy(bytes)
    await send(slot.videoPort, bytes)
    await send(slot.audioPort, bytes)
    if (i % 50 === 0) await pause(5)
  }
  socket.close()
  const before = seconds
  await until(() => seconds > before + 1, { timeout: 60_000, what: 'the output goes on' })
  await compositor.stop()
  t.match(await compositor.ended, { reason: 'stopped' })
})

const isRed = ([red = 0, , blue = 0]: number[]) => red > 150 && blue < 100
const isLit = (colours: number[]) => colours.every((value) => value > 20)
const isBlue = ([red = 0, , blue = 0]: number[]) => blue > 150 && red < 100
