import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { openScratch } from '../../../workers/media/scratch.ts'
import { scratch as folderFor } from '../../media/pipeline.ts'
import { testStore } from '../../support/video-stack.ts'

// As `npm start` has it.
process.umask(0o077)
const folder = await folderFor(t)
const { storage } = await testStore(t)
const { signal } = new AbortController()
const open = (name: string) => openScratch(join(folder, name), storage, async (ids) => ids)
const vast = 2 ** 60

t.test('an attempt for which the disk has no room does not begin, and says how much is lacking', async (t) => {
  const scratch = await open('small')
  await t.rejects(scratch.attempt(vast), {
    name: 'TransientEngineError',
    code: 'no_space',
    message: /has \d+ MiB left, but 1099511627776 MiB are needed/,
  })
  const [start = ''] = await readdir(join(folder, 'small', 'attempts'))
  const left = () => readdir(join(folder, 'small', 'attempts', start))
  t.strictSame(await left(), ['lock'])
  {
    await using attempt = await scratch.attempt(1)
    await writeFile(join(attempt.path, 'half'), 'written')
    for (const path of ['', '..', '../..', '../../..'].map((up) => join(attempt.path, up)))
      t.equal((await stat(path)).mode & 0o777, 0o711, 'others pass, and see no names')
  }
  t.strictSame(await left(), ['lock'], 'what an attempt leaves goes with it')
})

t.test('where room lacks, copies go that nothing has touched for long; those in use stay', async (t) => {
  const scratch = await open('full')
  await storage.put('a/film', Buffer.from('film'), { contentType: 'video/mp4', signal })
  const used = await scratch.fetch('used', 'a/film', signal)
  await scratch.fetch('idle', 'a/film', signal)
  const before = new Date(Date.now() - 11 * 60_000)
  for (const name of ['used', 'idle']) await utimes(scratch.folderOf(name), before, before)
  t.equal(await scratch.fetch('used', 'a/film', signal), used)
  await t.rejects(scratch.attempt(vast), { code: 'no_space' })
  t.equal(await readFile(used, 'utf8'), 'film')
  t.strictSame(await readdir(join(folder, 'full', 'assets')), ['used'])
})

/** A worker in a container of its own, with process ids that begin at 1, that is at an attempt in a scratch folder. */
async function contained(root: string) {
  const module = fileURLToPath(new URL('../../../workers/media/scratch.ts', import.meta.url))
  const program = `
    const { openScratch } = await import(${JSON.stringify(module)})
    const scratch = await openScratch(${JSON.stringify(root)}, {}, async (ids) => ids)
    console.log((await scratch.attempt()).path)
    setInterval(() => {}, 1_000)`
  const container = ['-rpf', '--kill-child=KILL', '--mount-proc', '--', process.execPath, '--input-type=module']
  const child = spawn('unshare', [...container, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = await once(createInterface(child.stdout), 'line')
  return {
    path: String(line),
    async kill() {
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    },
  }
}

const skip = spawnSync('unshare', ['-rpf', '--mount-proc', 'true']).status !== 0 && 'no process namespace here'
t.test(
  'a worker sweeps what dead ones have left, whatever their pid, and nothing of the living',
  { skip },
  async (t) => {
    const attempts = join(folder, 'left', 'attempts')
    const of = async () => (await readdir(attempts, { recursive: true })).filter((name) => !name.endsWith('lock'))
    const own = await (await open('left')).attempt()
    const other = await contained(join(folder, 'left'))
    t.ok((await of()).includes(relative(attempts, own.path)), 'a living worker that the container cannot see')
    await open('left')
    t.ok((await of()).includes(relative(attempts, other.path)), 'a living worker in a container')
    await writeFile(join(other.path, 'chunk.mp4'), 'half a chunk')
    await other.kill()
    await open('left')
    t.notOk(existsSync(dirname(other.path)), 'its pid is another process here')
    t.ok(existsSync(own.path))
  },
)

t.test('what has no lock goes when nothing has touched it for long', async (t) => {
  const attempts = join(folder, 'old', 'attempts')
  for (const name of ['1-new', '1-idle']) await mkdir(join(attempts, name), { recursive: true })
  const before = new Date(Date.now() - 7 * 60 * 60_000)
  await utimes(join(attempts, '1-idle'), before, before)
  await open('old')
  t.same([existsSync(join(attempts, '1-new')), existsSync(join(attempts, '1-idle'))], [true, false])
})

t.test('a copy that comes while old ones are looked for stays', async (t) => {
  const root = join(folder, 'cleared')
  const assets = join(root, 'assets')
  await mkdir(join(assets, 'old'), { recursive: true })
  await openScratch(root, storage, async () => {
    await mkdir(join(assets, 'new'))
    return []
  })
  t.strictSame(await readdir(assets), ['new'])
})
