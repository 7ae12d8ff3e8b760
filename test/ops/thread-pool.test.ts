import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import t from 'tap'
import { childEnvironment, isSet, poolThreads } from '#lib/config.ts'

const size = Number(poolThreads.UV_THREADPOOL_SIZE)
const { UV_THREADPOOL_SIZE: given, ...own } = childEnvironment({})

/** Threads that a process has more once its pool has begun to work. */
const program = `
const { promises, readdirSync } = require('node:fs')
const threads = () => readdirSync('/proc/self/task').length
const before = threads()
promises.stat('/').then(() => console.log(threads() - before))`

t.test('each way to start a process gives it the same pool of threads', async (t) => {
  const run = async (env: NodeJS.ProcessEnv) =>
    Number((await promisify(execFile)(process.execPath, ['-e', program], { env })).stdout)
  t.equal(await run({ ...own, ...poolThreads }), size)
  if (!isSet('UV_THREADPOOL_SIZE')) t.equal(given, String(size))
  t.match(childEnvironment({ UV_THREADPOOL_SIZE: '7' }), { UV_THREADPOOL_SIZE: '7' }, 'what an operator says holds')
  const text = (path: string) => readFile(new URL(`../../ops/deploy/${path}`, import.meta.url), 'utf8')
  for (const path of ['Containerfile', 'systemd/millrace@.service']) {
    t.match(await text(path), new RegExp(`\\bUV_THREADPOOL_SIZE=${size}$`, 'm'), path)
  }
})
