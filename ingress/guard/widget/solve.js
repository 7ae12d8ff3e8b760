import { makePlan, makeTrial } from './puzzles.js'

/** Maximum number of workers. Each uses 1 MiB, and the small cores of a phone add little. */
const mostWorkers = 8

/** A Trusted Types policy can allow this name. */
const trusted = (url) =>
  globalThis.trustedTypes?.createPolicy?.('mill-guard', { createScriptURL: (text) => text }).createScriptURL(url) ?? url

let allowed
/**
 * Returns the URL of the worker. A web page from another origin cannot start our worker directly, so its own worker
 * imports ours.
 */
function workerUrl(given) {
  const own = new URL('solver.js', import.meta.url)
  allowed ??= trusted(
    given ??
      (own.origin === location.origin
        ? own.href
        : URL.createObjectURL(new Blob([`import ${JSON.stringify(own.href)}`], { type: 'text/javascript' }))),
  )
  return allowed
}

/** Starts a worker. Rejects if the page’s policy forbids it. */
function startWorker(url, challenge) {
  const worker = new Worker(workerUrl(url), { type: 'module' })
  const ask = (message) =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data))
      worker.onerror = (event) => {
        event.preventDefault()
        reject(new Error(event.message || 'The worker could not start.'))
      }
      worker.postMessage(message)
    })
  return { ask, ready: ask({ challenge }), end: () => worker.terminate() }
}

const pause = () => new Promise((resolve) => setTimeout(resolve))

/**
 * Solves a challenge in Web Workers. If none can start, solves it in small steps on the page itself. Returns the
 * answer. `workers` is the number of workers (0: only the page), `worker` their URL. `onprogress` receives a share from
 * 0 to 1. Aborting `signal` stops everything.
 *
 * @param {any} challenge
 * @param {{ workers?: number | string | null, worker?: string, onprogress?: (share: number) => void, signal?: AbortSignal }} [options]
 */
export async function solve(challenge, { workers, worker, onprogress, signal } = {}) {
  const plan = makePlan(challenge)
  const wanted =
    workers == null ? Math.min(4, navigator.hardwareConcurrency || 2) : Math.min(Number(workers) || 0, mostWorkers)
  const started = []
  let finish
  const finished = new Promise((resolve, reject) => {
    finish = resolve
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  const isOver = () => plan.isSolved() || signal?.aborted

  async function work(trial) {
    for (let part = plan.take(); part && !isOver(); part = plan.take()) {
      let found
      try {
        found = await trial(part)
      } catch (error) {
        plan.giveBack(part)
        throw error
      }
      plan.record(part, found)
      onprogress?.(plan.progress())
      if (plan.isSolved()) finish()
    }
  }

  async function workInWorker() {
    const one = startWorker(worker, challenge)
    started.push(one)
    await one.ready
    await work(async (part) => (await one.ask({ part })).found)
  }

  async function workAll() {
    await Promise.allSettled(Array.from({ length: wanted }, workInWorker))
    if (isOver()) return
    const trial = await makeTrial(challenge)
    await work(async ({ index, from, count }) => {
      const step = challenge.alg === 'scrypt' ? 1 : 2 ** 12
      for (let k = from; k < from + count && !isOver(); k += step) {
        const found = await trial({ index, from: k, count: Math.min(step, from + count - k) })
        if (found) return found
        await pause()
      }
      return undefined
    })
    if (!isOver()) throw new Error('The challenge has no solution.')
  }

  try {
    await Promise.race([finished, workAll()])
    signal?.throwIfAborted()
    return plan.answer()
  } finally {
    for (const one of started) one.end()
  }
}
