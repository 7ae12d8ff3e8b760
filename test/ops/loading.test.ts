import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { testDatabase } from '../support/database.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Folders of workers/ that are no pool's. */
const machinery = ['runtime', 'sandbox']

/** Packages that are engines, or those of one. */
const engines = [
  '@tensorflow/tfjs',
  '@vladmandic/face-api',
  'firebase-admin',
  'koffi',
  'linkedom',
  'node-apn',
  'nodemailer',
  'openai',
  'sharp',
  'sip',
  'web-push',
]

/** Notes the address of each module that is loaded, a line each. */
const noting = `data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({ load: (url, context, next) => (appendFileSync(process.env.NOTES, url + '\\n'), next(url, context)) })
`)}`

t.test('a worker loads the engines of its own pools, and no others', async (t) => {
  const { url } = await testDatabase(t)
  const loadedBy = async (pools: string) => {
    const notes = join(t.testdir(), 'notes')
    const storage = { S3_ENDPOINT: 'http://127.0.0.1:1', S3_BUCKET: 'b', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 's' }
    const env = childEnvironment({ ...storage, DATABASE_URL: url, SIGNING_SECRET: 'x'.repeat(40), NOTES: notes })
    const args = ['--pdeathsig=KILL', '--', process.execPath, '--import', noting, 'workers/main.ts', '--pools', pools]
    const worker = spawn('setpriv', args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
    const exit = once(worker, 'exit')
    const ready = Promise.withResolvers<void>()
    createInterface({ input: worker.stdout }).on('line', (line) => {
      if (line.startsWith('workers ready')) ready.resolve()
    })
    await Promise.race([ready.promise, exit])
    const maps = await readFile(`/proc/${worker.pid}/maps`, 'utf8')
    worker.kill('SIGTERM')
    await exit
    const urls = (await readFile(notes, 'utf8')).split('\n')
    const folders = urls.flatMap((url) => /^.*\/workers\/([^/]+)\/(?!.*node_modules)/.exec(url)?.[1] ?? [])
    return {
      folders: [...new Set(folders)].filter((folder) => !machinery.includes(folder)).sort(),
      packages: engines.filter((name) => urls.some((url) => url.includes(`/node_modules/${name}/`))),
      native: [...new Set(maps.match(/\/\S+\.node$/gm) ?? [])],
    }
  }
  t.strictSame(await loadedBy('core'), { folders: ['core'], packages: [], native: [] })
  t.match(
    await loadedBy('whatsapp,llm'),
    { folders: ['llm', 'media', 'whatsapp'], packages: ['openai'] },
    'so they would be seen',
  )
})
