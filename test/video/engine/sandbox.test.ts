import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import type { EngineCall } from '#tasks/video/engine.ts'
import { planVideo } from '#tasks/video/rules/transcode/plan.ts'
import { createMediaEngine } from '../../../workers/media/engine.ts'
import { createMediaTools } from '../../../workers/media/media-tools.ts'
import { getFileOptions } from '../../../workers/media/untrusted.ts'
import { call, engine, scratch } from '../../media/pipeline.ts'
import { film } from '../../media/sources.ts'
import { until } from '../../support/until.ts'

const folder = await scratch(t)
const source = await film(join(folder, 'long.mp4'), 'testsrc2=s=1280x720:r=30:d=12,noise=alls=20:allf=t', {
  codec: ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-crf', '30', '-pix_fmt', 'yuv420p'],
})
const mezzanine = await engine.mezzanine({ source, folder }, call)
const plan = planVideo(mezzanine, 'standard_vod')
if (!plan) throw new Error('no plan')

/** The group leaders that this process has started and not yet reaped, also for other files of its group. */
async function children(): Promise<number[]> {
  const text = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

async function firstBeside(others: ReadonlySet<number>): Promise<number> {
  const pid = (await children()).find((one) => !others.has(one))
  if (pid === undefined) throw new Error('The engine has started no process.')
  return pid
}

/** Encodes a chunk and does something to its ffmpeg once that has told its first progress. */
async function disturb(act: (pid: number) => void, more: Partial<EngineCall> = {}, grace = 2_000) {
  const output = join(folder, 'disturbed')
  const others = new Set(await children())
  let pid = 0
  const found = Promise.withResolvers<void>()
  const onProgress = () => {
    if (pid !== 0) return
    pid = -1
    firstBeside(others).then((leader) => {
      pid = leader
      act(leader)
      found.resolve()
    }, found.reject)
  }
  const disturbed = createMediaEngine({ nice: 7, grace })
  const outcome = await disturbed
    .encodeChunk(
      { mezzanine, plan: plan as NonNullable<typeof plan>, index: 0, folder: output },
      { ...call, onProgress, ...more },
    )
    .catch((error: unknown) => error)
  await found.promise
  return { outcome, pid, left: await readdir(output) }
}

t.test('an abort ends the whole process group at once, with the reason of the signal', async (t) => {
  const abort = new AbortController()
  let aborted = 0
  const { outcome, pid, left } = await disturb(
    () => {
      aborted = performance.now()
      abort.abort(new Error('shutting down'))
    },
    { signal: abort.signal },
  )
  t.equal((outcome as Error).message, 'shutting down')
  t.ok(performance.now() - aborted < 2_500, 'promptly')
  t.notOk(existsSync(`/proc/${pid}`), 'the process is gone')
  t.strictSame(left, [], 'no half-written chunk is left')
})

t.test('a tool that hangs ends by its timeout', async (t) => {
  const { outcome, pid, left } = await disturb((leader) => process.kill(leader, 'SIGSTOP'), { timeout: 3_000 }, 200)
  t.match(outcome, { name: 'TransientEngineError', code: 'timeout', message: /did not finish within 3 s/ })
  t.notOk(existsSync(`/proc/${pid}`), 'a stopped process is killed too')
  t.strictSame(left, [])
})

t.test('a tool that is killed from outside is a trouble to be tried again, not a fault of the film', async (t) => {
  const killed = await disturb((leader) => process.kill(leader, 'SIGKILL'))
  t.match(killed.outcome, { name: 'TransientEngineError', code: 'killed' })
  const asked = await disturb((leader) => process.kill(leader, 'SIGTERM'))
  t.match(asked.outcome, { name: 'TransientEngineError', code: 'killed' })
  t.strictSame(asked.left, [])
})

t.test('a call that is aborted before it starts starts nothing', async (t) => {
  const before = new Set(await children())
  await t.rejects(engine.probe(source, { signal: AbortSignal.abort(new Error('too late')) }), { message: 'too late' })
  t.strictSame(
    (await children()).filter((pid) => !before.has(pid)),
    [],
  )
})

t.test('a run may not write more, or use more memory, than it is given', async (t) => {
  const capped = createMediaEngine({ nice: 0, fileBytes: 100_000 })
  const big = await capped.mezzanine({ source, folder: join(folder, 'capped') }, call).catch((error: unknown) => error)
  t.ok(big instanceof TransientEngineError && big.code === 'failed', String(big))
  t.strictSame(await readdir(join(folder, 'capped')), [])
  const poor = createMediaEngine({ nice: 0, memoryBytes: 300 * 2 ** 20 })
  const starved = await poor
    .encodeChunk({ mezzanine, plan, index: 0, folder: join(folder, 'poor') }, call)
    .catch((error: unknown) => error)
  t.ok(starved instanceof Error && starved.name !== 'MediaFault', String(starved))
})

t.test('an encoding is held to its memory, its CPU time and its place behind others', async (t) => {
  const found = Promise.withResolvers<{ limits: string; nice: number }>()
  const tell = (leader: number, name: string) => readFile(`/proc/${leader}/${name}`, 'utf8')
  const areGrouped = await readFile('/proc/self/autogroup').then(
    () => true,
    () => false,
  )
  await disturb((leader) => {
    const isMeek = async () => !areGrouped || /nice 7\n?$/.test(await tell(leader, 'autogroup'))
    until(isMeek, { what: 'its session is as meek as itself, where the kernel weighs sessions' })
      .then(() => Promise.all(['limits', 'stat'].map((name) => tell(leader, name))))
      .then(([limits = '', stat = '']) => {
        // proc(5): the nice value is field 19, and what follows the name is field 3 and on.
        const nice = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
        found.resolve({ limits, nice })
      }, found.reject)
      .finally(() => process.kill(leader, 'SIGKILL'))
  })
  const { limits, nice } = await found.promise
  const of = (name: string) => Number(new RegExp(`^Max ${name} +(\\d+) `, 'm').exec(limits)?.[1])
  t.equal(of('data size'), 2 * 2 ** 30)
  t.equal(of('stack size'), 2 * 2 ** 20)
  t.equal(of('core file size'), 0)
  t.ok(of('cpu time') > 0 && of('open files') <= 256)
  t.equal(nice, Math.min(19, getPriority() + 7))
})

t.test('a missing tool is called missing', async (t) => {
  const none = createMediaEngine({ ffprobePath: '/nonexistent/ffprobe' })
  await t.rejects(none.probe(source, call), { name: 'TransientEngineError', code: 'missing' })
})

t.test('a tool that did not reach its input is no evidence against it', async (t) => {
  const stub = join(folder, 'stub')
  await writeFile(stub, '#!/bin/sh\necho "stub: cannot map a library" >&2\nexit 1\n', { mode: 0o755 })
  const broken = createMediaEngine({ ffprobePath: stub })
  await t.rejects(broken.probe(source, call), {
    name: 'TransientEngineError',
    code: 'failed',
    message: /cannot map a library/,
  })
})

t.test('a line longer than any string, as a title may be, is cut off and ends nothing', async (t) => {
  const stub = join(folder, 'talker')
  await writeFile(stub, '#!/bin/sh\nhead -c 600000000 /dev/zero | tr "\\0" x\necho\necho last\n', { mode: 0o755 })
  const lengths: number[] = []
  const onOutput = (line: string) => lengths.push(line.length)
  await createMediaTools({ ffprobePath: stub }).ffprobe(
    [],
    { source: 'any', options: getFileOptions('mov') },
    { call, timeout: 60_000, onOutput },
  )
  t.same(lengths, [2 ** 20, 4])
})

t.test('progress rises from 0 to 1', async (t) => {
  const told: number[] = []
  const brief = { ...plan.chunks, count: 1, frames: 120 }
  const small = { ...plan, renditions: plan.renditions.slice(-1), preset: 'superfast' as const, chunks: brief }
  await engine.encodeChunk(
    { mezzanine, plan: small, index: 0, folder: join(folder, 'told') },
    { ...call, onProgress: (part) => told.push(part) },
  )
  t.ok(told.every((part, i) => part >= (told[i - 1] ?? 0) && part <= 1))
  t.equal(told.at(-1), 1)
})

const walled = await promisify(execFile)('unshare', ['-n', 'true']).then(
  () => false as const,
  () => 'unshare needs a right that this machine does not give',
)
t.test('the tools have no network, even if one were told to use it', { skip: walled }, async (t) => {
  const server = createServer((socket) => socket.destroy())
  let visits = 0
  server.on('connection', () => visits++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const lists = ['-protocol_whitelist', 'tcp', '-format_whitelist', 'mpegts']
  const input = { source: `tcp://127.0.0.1:${port}?timeout=1000000`, options: lists }
  const run = await createMediaTools({}).ffprobe([], input, { call, timeout: 10_000 })
  t.notOk(run.ok)
  t.equal(visits, 0)
})
