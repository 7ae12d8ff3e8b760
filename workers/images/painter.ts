import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import type { Measured, Transformed } from '#tasks/files/rules/images/engine.ts'
import type { Recipe } from '#tasks/files/rules/images/recipe.ts'
import { requireIsolation } from '../sandbox/isolation.ts'
import { usualPath } from '../sandbox/programs.ts'
import { readAnswer } from './answer.ts'
import { type Frame, readFrames, writeFrame } from './frames.ts'

export type Question = { kind: 'measure' } | { kind: 'transform'; recipe: Recipe }

/** A process that answers one question at a time. */
export interface Painter {
  /** Rejects with `TransientEngineError`. The process has then ended. */
  ask(question: Question, source: Uint8Array, signal: AbortSignal): Promise<Measured | Transformed>
  readonly isAlive: boolean
  readonly answered: number
  end(): void
}

const program = join(import.meta.dirname, 'program.ts')

/** Maximum writable memory in bytes. An AVIF of 16 megapixels needs 1 GB, and Node reserves 300 MB. */
const memoryBytes = 1_536 * 2 ** 20

/** Maximum CPU time of a process in seconds. It answers many questions, and each has its own time limit. */
const cpuSeconds = 3_600

/** Time limits in milliseconds: for the start of the process on a busy machine, and for an answer. */
const [startMs, answerMs] = [20_000, 12_000]

/** Starts a process without network, secrets and writable files. It ends together with this process. */
export async function startPainter(): Promise<Painter> {
  const isolate = await requireIsolation(usualPath)
  const command = [...isolate({ memoryBytes, fileBytes: 0, cpuSeconds, nice: 0 }), process.execPath, program]
  const [name = '', ...args] = command
  // More arenas of malloc would keep memory of large images.
  const env = { PATH: usualPath, LC_ALL: 'C.UTF-8', MALLOC_ARENA_MAX: '2' }
  const child = spawn(name, args, { env, detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
  const frames = listen(child)
  await frames.next(startMs, 'start')
  return painterOf(child, frames)
}

interface Frames {
  next(ms: number, what: string, signal?: AbortSignal): Promise<Frame>
}

/** Waits for the frames of a process, one at a time. Kills the process if a frame is late, wrong or no longer needed. */
function listen(child: ChildProcess): Frames {
  let waiting: PromiseWithResolvers<Frame> | undefined
  const fail = (error: unknown) => {
    kill(child)
    waiting?.reject(error)
  }
  const died = () => fail(new TransientEngineError('killed', 'The image engine crashed.'))
  child.once('error', died).once('exit', died)
  child.stdin?.on('error', () => {})
  if (child.stdout) readFrames(child.stdout, (frame) => waiting?.resolve(frame), died)
  return {
    async next(ms, what, signal) {
      waiting = Promise.withResolvers()
      const late = () => fail(new TransientEngineError('timeout', `The image engine did not ${what} in time.`))
      const timer = setTimeout(late, ms)
      const aborted = () => fail(signal?.reason)
      signal?.addEventListener('abort', aborted, { once: true })
      if (!isAlive(child)) died()
      try {
        return await waiting.promise
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', aborted)
        waiting = undefined
      }
    },
  }
}

const isAlive = (child: ChildProcess): boolean =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null && !child.killed

const kill = (child: ChildProcess): void => void child.kill('SIGKILL')

function painterOf(child: ChildProcess, frames: Frames): Painter {
  let answered = 0
  return {
    async ask(question, source, signal) {
      signal.throwIfAborted()
      const next = frames.next(answerMs, 'answer', signal)
      if (child.stdin) writeFrame(child.stdin, question, source)
      const answer = readAnswer(await next)
      answered++
      if (answer) return answer
      kill(child)
      throw new TransientEngineError('killed', 'The image engine sent a wrong answer.')
    },
    get isAlive() {
      return isAlive(child)
    },
    get answered() {
      return answered
    },
    end: () => kill(child),
  }
}
