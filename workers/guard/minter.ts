import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { counter } from '#lib/telemetry/metrics.ts'
import type { Puzzle, PuzzleMinter } from '#tasks/guard/engine.ts'

const minted = counter('millrace_guard_puzzles_minted_total', 'Puzzles created for the stock.', [])

const script = new URL('./mint-thread.ts', import.meta.url)

export function createPuzzleMinter(threads: number): PuzzleMinter {
  return { mint: (signal) => mintOn(threads, signal) }
}

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

/** Requests a batch. The result may no longer be needed when it arrives. */
function asked(thread: Worker, signal: AbortSignal): Promise<Batch> {
  const next = nextOf(thread, signal)
  next.catch(() => {})
  return next
}

/** Requests a batch from a thread. Rejects if the thread fails or exits, or if the batch is no longer needed. */
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
