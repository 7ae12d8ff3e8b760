import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { counter } from '#lib/telemetry/metrics.ts'
import type { Puzzle, PuzzleMinter } from '#tasks/guard/engine.ts'

const minted = counter('millrace_guard_puzzles_minted_total', 'Puzzles created for the stock.', [])

const script = new URL('./mint-thread.ts', import.meta.url)

/** A minter with that many threads; they live for as long as something mints, as minting is done in bursts. */
export function createPuzzleMinter(threads: number): PuzzleMinter {
  return { mint: (signal) => mintOn(threads, signal) }
}

/** A batch, and the thread that may be asked for the next. */
interface Batch {
  thread: Worker
  puzzles: Puzzle[]
}

async function* mintOn(threads: number, signal: AbortSignal): AsyncGenerator<readonly Puzzle[]> {
  signal.throwIfAborted()
  const workers = Array.from({ length: threads }, () => new Worker(script))
  try {
    const coming = new Map(workers.map((thread) => [thread, asked(thread, signal)]))
    for (;;) {
      const { thread, puzzles } = await Promise.race(coming.values())
      coming.set(thread, asked(thread, signal))
      minted.inc(puzzles.length)
      yield puzzles
    }
  } finally {
    await Promise.all(workers.map((thread) => thread.terminate()))
  }
}

/** A batch that may come after nobody waits for it any more. */
function asked(thread: Worker, signal: AbortSignal): Promise<Batch> {
  const next = nextOf(thread, signal)
  next.catch(() => {})
  return next
}

/** Asks a thread for a batch; rejects when it fails, ends or is no longer wanted. */
async function nextOf(thread: Worker, signal: AbortSignal): Promise<Batch> {
  const over = new AbortController()
  const until = { signal: AbortSignal.any([signal, over.signal]) }
  thread.postMessage('next')
  try {
    const [puzzles] = await Promise.race([
      once(thread, 'message', until) as Promise<[Puzzle[]]>,
      once(thread, 'exit', until).then(() => Promise.reject(new Error('A thread that creates puzzles has exited.'))),
    ])
    return { thread, puzzles }
  } finally {
    over.abort()
  }
}
