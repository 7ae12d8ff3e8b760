import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { Composite } from '../../workers/rooms/air/composite.ts'
import { FrameSizeGate } from '../../workers/rooms/compositor/gate.ts'
import { layOut, layOutBeside } from '../../workers/rooms/compositor/grid.ts'
import { type Compositor, startCompositor } from '../../workers/rooms/compositor/index.ts'
import type { Slot } from '../../workers/rooms/compositor/messages.ts'
import type { FrameSize } from '../../workers/rooms/compositor/picture-size.ts'
import type { ClientSocket } from '../../workers/rooms/gateway/client-socket.ts'
import { Member, type MemberRoom } from '../../workers/rooms/gateway/member.ts'
import type { ServerMessage } from '../../workers/rooms/gateway/messages.ts'
import type { Room } from '../../workers/rooms/gateway/room.ts'
import type { ForwardPorts } from '../../workers/rooms/gateway/stage.ts'
import { colourAt, loudnessOf, makeFilm, regularityOf, sendFilm } from '../support/composite.ts'
import { until } from '../support/until.ts'

const folder = t.testdir()
const shape = { title: 'Stand-up & more', slots: 3, width: 320, height: 180, frameRate: 15, folder }

t.test('tiles fill the picture, and a last row is in its middle', async (t) => {
  t.same(layOut(1, 1280, 720), [{ x: 0, y: 0, width: 1280, height: 720 }])
  t.same(layOut(3, 1280, 720).at(-1), { x: 320, y: 360, width: 640, height: 360 })
  for (let count = 1; count <= 16; count++)
    for (const { x, y, width, height } of layOut(count, 1280, 720))
      t.ok(x >= 0 && y >= 0 && x + width <= 1280 && y + height <= 720 && (x | y | width | height) % 2 === 0)
})

t.test('one is large and the others in a strip beside it, none of them cut', async (t) => {
  t.same(layOutBeside(1, 0, 1280, 720), layOut(1, 1280, 720))
  t.same(layOutBeside(3, 1, 1280, 720), [
    { x: 1024, y: 216, width: 256, height: 144 },
    { x: 0, y: 0, width: 1024, height: 720 },
    { x: 1024, y: 360, width: 256, height: 144 },
  ])
  for (let count = 1; count <= 16; count++)
    for (const { x, y, width, height } of layOutBeside(count, count - 1, 640, 360))
      t.ok(x >= 0 && y >= 0 && x + width <= 640 && y + height <= 360 && (x | y | width | height) % 2 === 0)
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

t.test('who sends pictures too large is told, harms nobody, and is shown once they are smaller', async (t) => {
  const [red, small, large, full] = await Promise.all([
    makeFilm(folder, 'red'),
    makeFilm(folder, 'blue', '640x360'),
    makeFilm(folder, 'blue', '2560x1440', 0.4),
    makeFilm(folder, 'blue', '1920x1080', 0.4),
  ])
  const films = new Map([
    ['ann', red],
    ['bob', large],
  ])
  const said: ServerMessage[] = []
  const bob = new Member(
    { participant_id: 'bob', role: 'participant' } as Member['row'],
    { send: (message: ServerMessage) => said.push(message) } as unknown as ClientSocket,
    {} as MemberRoom,
  )
  const stage = () =>
    [...films].map(([id, feed]) => ({ participantId: id, name: id, feed, audio: true, video: 'camera' }))
  const forward = async (id: string, to: ForwardPorts) => {
    const sender = sendFilm(t, films.get(id) as string, to)
    return async () => void sender.kill('SIGKILL')
  }
  const members = new Map([['bob', bob]])
  const room = { id: 'room', name: 'Large', maxParticipants: 2, layout: 'grid', members, forward }
  Object.defineProperty(room, 'stage', { get: stage })

  const path = join(folder, 'large.mp4')
  const file = createWriteStream(path)
  let seconds = 0
  const passes = async (more: number) => {
    const goal = seconds + more
    await until(() => seconds >= goal, { timeout: 60_000, what: `${more} s of output` })
    return seconds
  }
  const composite = await Composite.start(room as unknown as Room, {
    width: 320,
    height: 180,
    frameRate: 15,
    folder,
    output: { take: (media) => void media.pipe(file) },
    onRunning: (running) => {
      seconds = running
    },
  })
  t.teardown(() => composite.stop())
  await composite.follow()
  await until(() => said.length > 0, { timeout: 60_000, what: 'bob is told' })
  const refused = await passes(4)
  t.match(said, [
    {
      type: 'error',
      code: 'picture_too_large',
      message: /2560 × 1440/,
      details: { width: 2560, most: { width: 1920 } },
    },
  ])
  films.set('bob', small)
  await composite.follow()
  const smaller = await passes(5)
  films.set('bob', full)
  await composite.follow()
  const begun = performance.now()
  const largest = await passes(5)
  t.ok(performance.now() - begun < 15_000, 'the output keeps its rate beside the largest pictures')
  await composite.stop()
  if (!file.closed) await once(file, 'close')

  t.equal(said.length, 1, 'nothing more is said')
  const { longest } = await regularityOf(path, 'v')
  t.ok(longest < 0.1, `${longest} s between two pictures`)
  const [left, right] = ['40:20:60:80', '40:20:220:80']
  for (const at of [refused, smaller, largest]) t.ok(isRed(await colourAt(path, at - 0.5, left)), 'the neighbour stays')
  t.notOk(isBlue(await colourAt(path, refused - 0.5, right)), 'what is too large is not seen')
  t.ok(isBlue(await colourAt(path, smaller - 0.5, right)), 'what is smaller is')
  t.ok(isBlue(await colourAt(path, largest - 0.5, right)), 'and the largest that may be')
})

t.test('a gate judges key frames by their head, wherever it is, and each source anew', async (t) => {
  const refused: (FrameSize | undefined)[] = []
  const gate = new FrameSizeGate((size) => refused.push(size))
  const lets = (frame: Buffer, more: Partial<PacketShape> = {}) => gate.lets(packetOf(frame, more))
  t.ok(lets(keyFrame(1920, 1080)))
  t.ok(lets(keyFrame(1080, 1920)), 'a telephone that is held upright')
  t.ok(lets(interFrame))
  t.notOk(lets(keyFrame(1921, 1080)))
  t.notOk(lets(interFrame), 'nothing passes that follows')
  t.notOk(lets(keyFrame(1280, 1281)))
  t.same(refused, [{ width: 1921, height: 1080 }], 'it is said once')
  t.ok(lets(keyFrame(640, 360)))
  t.ok(lets(interFrame))
  for (const descriptor of ['90800f', '90c08fff01', '90f0ffff0120', '9020e0']) {
    t.notOk(lets(keyFrame(16_383, 64), { descriptor }), `with a descriptor of ${descriptor}`)
    t.ok(lets(keyFrame(64, 64), { descriptor }))
  }
  t.notOk(lets(keyFrame(64, 64).subarray(0, 9)), 'a head that the next packet would complete')
  t.ok(lets(keyFrame(64, 64), { extension: true, sources: 2 }))
  t.notOk(lets(keyFrame(64, 64), { padding: 8 }), 'a head of which a part is padding')
  t.equal(refused.at(-1), undefined)
  t.ok(lets(interFrame, { ssrc: 2 }), 'another source')
  for (const bytes of ['', '80', '8060', '9f60'.padEnd(60, '0'), 'b060'.padEnd(60, 'f')])
    t.notOk(gate.lets(Buffer.from(bytes, 'hex')), `no packet: ${bytes}`)
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
  const limits = await readFile(`/proc/${compositor.pid}/limits`, 'utf8')
  t.match(limits, /^Max data size +\d/m, 'its memory is bounded')
  const decoders = () => decodersOf(compositor)
  await until(async () => (await decoders()).length === shape.slots, { what: 'each slot has a decoder' })
  await until(async () => (await decoders()).every((id) => getPriority(id) === 5), {
    what: 'decoders yield to the output',
  })
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

async function decodersOf({ pid }: Compositor): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`)
  const names = await Promise.all(threads.map((id) => readFile(`/proc/${pid}/task/${id}/comm`, 'utf8').catch(() => '')))
  return threads.filter((_, i) => names[i]?.startsWith('decode')).map(Number)
}

const interFrame = Buffer.from('0100000000000000000000', 'hex')

/** The beginning of a key frame. */
function keyFrame(width: number, height: number): Buffer {
  const frame = Buffer.from('1002009d012a0000000000000000', 'hex')
  frame.writeUInt16LE(width, 6)
  frame.writeUInt16LE(height, 8)
  return frame
}

interface PacketShape {
  descriptor: string
  ssrc: number
  sources: number
  extension: boolean
  padding: number
}

/** An RTP packet; of padding, as many of the frame's last bytes as told. */
function packetOf(
  frame: Buffer,
  { descriptor = '10', ssrc = 1, sources = 0, extension = false, padding = 0 }: Partial<PacketShape>,
): Buffer {
  const head = Buffer.from('806000010000000000000000', 'hex')
  head[0] = 0x80 | (padding ? 0x20 : 0) | (extension ? 0x10 : 0) | sources
  head.writeUInt32BE(ssrc, 8)
  const extended = extension ? 'bede000155555555' : ''
  const rest = Buffer.from(frame)
  if (padding) rest[rest.length - 1] = padding
  return Buffer.concat([head, Buffer.alloc(4 * sources, 7), Buffer.from(extended + descriptor, 'hex'), rest])
}
