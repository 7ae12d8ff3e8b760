import { parentPort, workerData } from 'node:worker_threads'
import type { Request, ThreadData, ThreadMessage } from './liveness.ts'
import { LivenessSession } from './liveness-session.ts'
import { Pulse, sinceMs } from './pulse.ts'

/**
 * The liveness thread of a process. It sends heartbeats and monitors the event loop. It must not import code of the
 * event loop.
 */
const { databaseUrl, lease, pulse: shared } = workerData as ThreadData
const beatMs = lease / 10
/**
 * Number of lease periods after which a process with a stalled event loop is killed. By then its work is no longer
 * needed.
 */
const hopelessLeases = 10

const pulse = new Pulse(shared)
const tell = (told: ThreadMessage) => parentPort?.postMessage(told)
const session = new LivenessSession(databaseUrl, lease, pulse, (why) => tell({ lost: why }))
let requests: Promise<unknown> = Promise.resolve()
let lastTurn = process.hrtime.bigint()
let lastTick = 0n
let stalledMs = 0

const beating = setInterval(() => {
  const gap = Math.min(sinceMs(lastTurn), 2 * beatMs)
  lastTurn = process.hrtime.bigint()
  watchLoop(gap)
  session.beat(pulse.takeDelay())
}, beatMs)

parentPort?.on('message', ({ number, ...request }: Request & { number: number }) => {
  requests = requests
    .then(() => answer(request as Request))
    .then(
      () => tell({ answered: number }),
      (error: Error) => tell({ answered: number, error: error.message }),
    )
})

async function answer(request: Request): Promise<void> {
  if ('register' in request) return await session.register(request.register)
  if ('open' in request) return await session.open()
  if ('resume' in request) return await session.resume()
  clearInterval(beating)
  await session.leave()
}

/**
 * Measures the stall of the event loop in turns of this thread. A process that was frozen as a whole has not stalled.
 */
function watchLoop(gap: number): void {
  const { ticked } = pulse
  stalledMs = ticked === lastTick ? stalledMs + gap : 0
  lastTick = ticked
  if (stalledMs > hopelessLeases * lease) process.kill(process.pid, 'SIGKILL')
  if (stalledMs <= lease || pulse.isFenced) return
  pulse.isFenced = true
  session.fence()
  tell({ fenced: true })
}
