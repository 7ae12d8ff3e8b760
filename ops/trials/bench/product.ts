import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '#lib/config.ts'
import type { PoolName } from '#tasks/pools.ts'
import { preferPort } from '../../start/ports.ts'
import { killWithParent } from '../../start/supervise.ts'

/** Settings for processes of the product, in addition to the benchmark's settings. The storage URL is never used. */
const usual = {
  S3_ENDPOINT: 'http://127.0.0.1:9',
  S3_ACCESS_KEY: 'unused',
  S3_SECRET_KEY: 'unused',
  S3_BUCKET: 'unused',
  LOG_LEVEL: 'warn',
}

export const startIngress = async (ends: AsyncDisposableStack, settings: Record<string, string>): Promise<string> =>
  (await startIngressProcess(ends, settings)).base

export async function startIngressProcess(
  ends: AsyncDisposableStack,
  settings: Record<string, string>,
): Promise<{ base: string; pid: number }> {
  const port = await preferPort('127.0.0.1', undefined)
  const base = `http://127.0.0.1:${port}`
  const { pid } = run(ends, { ...settings, PORT: String(port), PUBLIC_URL: base }, 'ingress/main.ts')
  const isUp = () =>
    fetch(`${base}/v1`).then(
      () => true,
      () => false,
    )
  while (!(await isUp())) await pause(100)
  return { base, pid }
}

export const startWorker = (
  ends: AsyncDisposableStack,
  settings: Record<string, string>,
  ...pools: PoolName[]
): Process => run(ends, settings, 'workers/main.ts', '--pools', pools.join(','))

export interface Process {
  pid: number
  /** Kills the process, like a crash. */
  kill(): Promise<void>
}

function run(ends: AsyncDisposableStack, settings: Record<string, string>, path: string, ...args: string[]): Process {
  const program = fileURLToPath(new URL(`../../../${path}`, import.meta.url))
  const bound = killWithParent(process.execPath, program, ...args)
  const child: ChildProcess = spawn(bound.file, bound.args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: childEnvironment({ ...usual, ...settings }),
  })
  const ended = once(child, 'exit')
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  ends.defer(() => end('SIGTERM'))
  return { pid: child.pid ?? 0, kill: () => end('SIGKILL') }
}
