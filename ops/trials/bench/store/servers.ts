import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Storage } from '#lib/storage/storage.ts'
import { killWithParent } from '../../../start/supervise.ts'
import { startChild } from '../child.ts'
import type { LoadSettings } from './load.ts'

type Bodies = LoadSettings['bodies']

export interface Server {
  pid: number
  putTargets(count: number, bytes: number): Promise<Bodies>
  finish(puts: Bodies): Promise<Bodies>
  clear(): Promise<void>
}

const program = fileURLToPath(new URL('../../../embedded/object-store/main.ts', import.meta.url))

export async function startStore(parent: string, ends: AsyncDisposableStack): Promise<Server> {
  const dir = join(parent, 'store')
  const [accessKey, secretKey, bucket, region] = ['BENCH', randomBytes(20).toString('hex'), 'bench', 'us-east-1']
  const credentials = join(parent, 'credentials.json')
  await writeFile(credentials, JSON.stringify({ access_key: accessKey, secret_key: secretKey }), { mode: 0o600 })
  const args = ['--dir', dir, '--credentials', credentials, '--region', region, '--bucket', bucket]
  const { file, args: all } = killWithParent(process.execPath, program, ...args)
  const child = spawn(file, all, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  ends.defer(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await exit
  })
  const [line] = await Promise.race([once(child.stdout, 'data'), exit.then(() => [''])])
  const endpoint = /http:\S+/.exec(String(line))?.[0]
  if (!endpoint) throw new Error('The object store exited during startup.')
  const storage = new Storage({ endpoint, publicEndpoint: endpoint, region, bucket, accessKey, secretKey })
  const [key, seconds] = ['film.mp4', 3600]
  let uploadId = ''
  return {
    pid: child.pid ?? 0,
    async putTargets(count, bytes) {
      uploadId = await storage.multipart.create(key, { contentType: 'video/mp4' })
      const numbers = Array.from({ length: count }, (_, i) => i + 1)
      return await Promise.all(
        numbers.map(async (number) => ({
          url: await storage.multipart.sign(key, uploadId, { number, bytes }, seconds),
          bytes,
        })),
      )
    },
    async finish(puts) {
      await storage.multipart.complete(key, uploadId, (await storage.multipart.list(key, uploadId)) ?? [])
      const url = await storage.signGet(key, seconds)
      return puts.map(({ bytes }, i) => ({
        url,
        bytes,
        headers: { range: `bytes=${i * bytes}-${(i + 1) * bytes - 1}` },
      }))
    },
    clear: () => storage.remove(key),
  }
}

export async function startPlain(parent: string, ends: AsyncDisposableStack): Promise<Server> {
  const folder = join(parent, 'plain')
  await mkdir(folder)
  const child = startChild('./store/plain.ts', { folder })
  ends.defer(() => child.end())
  const port = await child.next<number>()
  return {
    pid: child.process.pid ?? 0,
    async putTargets(count, bytes) {
      return Array.from({ length: count }, (_, i) => ({ url: `http://127.0.0.1:${port}/${i}`, bytes }))
    },
    finish: async (puts) => puts,
    clear: async () => {},
  }
}

export async function getPeakMemory(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024
}
