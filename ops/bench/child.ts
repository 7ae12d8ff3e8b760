import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '#lib/config.ts'
import { boundToUs } from '../start/supervise.ts'

/** The pipe on which a child answers, a JSON value a line. */
const pipe = 3

/** Tells the benchmark, from within a child, a value. */
export const answer = (value: unknown): void => void writeSync(pipe, `${JSON.stringify(value)}\n`)

/** A program of a benchmark that runs in a process of its own. */
export interface Child {
  process: ChildProcess
  /** The next value that it answers with; throws when it ends before. */
  next<T>(): Promise<T>
  /** Resolves when it has ended of its own accord. */
  ended: Promise<unknown>
  /** Asks it to end and waits until it has. */
  end(): Promise<void>
}

/**
 * Starts `ops/bench/<script>` with its settings as JSON in the first argument and its log, of which there is plenty at level
 * `info`, in a file; it is killed when this process dies.
 */
export function startChild(script: string, settings: unknown, log?: string): Child {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const { file, args } = boundToUs(process.execPath, path, JSON.stringify(settings))
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
      if (done) throw new Error(`${script} ended before it responded.`)
      return JSON.parse(value) as T
    },
    ended: exit,
    async end() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await exit
    },
  }
}

/** Runs a child to its end; returns its answer. */
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
