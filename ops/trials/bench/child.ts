import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '#lib/config.ts'
import { killWithParent } from '../../start/supervise.ts'

/** File descriptor on which a child sends its results, one JSON value per line. */
const pipe = 3

export const sendResult = (value: unknown): void => void writeSync(pipe, `${JSON.stringify(value)}\n`)

export interface Child {
  process: ChildProcess
  /** Returns the next value from the child. Throws if the child exits before that. */
  next<T>(): Promise<T>
  /** Resolves when the process has exited without a request to do so. */
  ended: Promise<unknown>
  end(): Promise<void>
}

/**
 * Starts `ops/trials/bench/<script>` with its settings as JSON in the first argument. Its log goes to a file, because level
 * `info` is large. The process is killed when this process dies.
 */
export function startChild(script: string, settings: unknown, log?: string): Child {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const { file, args } = killWithParent(process.execPath, path, JSON.stringify(settings))
  const output = log === undefined ? undefined : openSync(log, 'a')
  const env = childEnvironment({ LOG_LEVEL: log === undefined ? 'warn' : 'info' })
  const child = spawn(file, args, { stdio: ['ignore', output ?? 'inherit', 'inherit', 'pipe'], env })
  if (output !== undefined) closeSync(output)
  const exit = once(child, 'exit')
  const lines = createInterface({ input: child.stdio[pipe] as Readable })[Symbol.asyncIterator]()
  return {
    process: child,
    async next<T>() {
      const { value, done } = await lines.next()
      if (done) throw new Error(`${script} exited before it responded.`)
      return JSON.parse(value) as T
    },
    ended: exit,
    async end() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await exit
    },
  }
}

export async function runChild<T>(script: string, settings: unknown): Promise<T> {
  const child = startChild(script, settings)
  try {
    const answered = await child.next<T>()
    await child.ended
    return answered
  } finally {
    await child.end()
  }
}
