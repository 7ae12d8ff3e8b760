import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
    name: 'EngineTrouble',
    code: 'no_space',
    message: /has \d+ MiB left, and 1099511627776 MiB are needed/,
  })
  t.strictSame(await readdir(join(folder, 'small', 'attempts')), [])
  {
    await using attempt = await scratch.attempt(1)
    await writeFile(join(attempt.path, 'half'), 'written')
    for (const path of ['', '..', '../..'].map((up) => join(attempt.path, up)))
      t.equal((await stat(path)).mode & 0o777, 0o711, 'others pass, and see no names')
  }
  t.strictSame(await readdir(join(folder, 'small', 'attempts')), [], 'what an attempt leaves goes with it')
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

t.test('a worker that begins sweeps what dead ones have left, and nothing of the living', async (t) => {
  const attempts = join(folder, 'left', 'attempts')
  const { pid: dead } = spawnSync('true')
  for (const pid of [dead, process.pid]) await mkdir(join(attempts, `${pid}-0`), { recursive: true })
  await writeFile(join(attempts, `${dead}-0`, 'chunk.mp4'), 'half a chunk')
  await open('left')
  t.strictSame(await readdir(attempts), [`${process.pid}-0`])
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
