/** Creates jobs by HTTP at an even rate, regardless of the duration of each call. Reports when each was accepted. */
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { sendResult } from '../child.ts'

export interface PaceSettings {
  base: string
  key: string
  target: string
  perSecond: number
  seconds: number
}

/** Times by the ID of the job, in milliseconds since 1970. */
export interface Accepted {
  times: Record<string, number>
  /** Longest duration of a call in milliseconds, and its median. */
  p50: number
  p99: number
  /** Calls that the ingress rejected, because this machine was too busy. */
  refused: number
}

const { base, key, target, perSecond, seconds } = JSON.parse(process.argv[2] ?? '{}') as PaceSettings
const dispatcher = new Agent({ connections: 64 })
const now = () => performance.timeOrigin + performance.now()
const times: Record<string, number> = {}
const durations: number[] = []
let refused = 0

async function create(): Promise<void> {
  const begun = performance.now()
  const answer = await request(`${base}/v1/jobs`, {
    method: 'POST',
    dispatcher,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: target, body: { text: 'hello' } }),
  })
  const at = now()
  durations.push(performance.now() - begun)
  const body = (await answer.body.json()) as { id: string }
  if (answer.statusCode === 201) times[body.id] = at
  else refused++
}

const begun = performance.now()
const sent: Promise<unknown>[] = []
for (let i = 0; i < seconds * perSecond; i++) {
  const due = begun + (i * 1_000) / perSecond
  await pause(Math.max(0, due - performance.now()))
  sent.push(create())
}
await Promise.all(sent)
const sorted = durations.toSorted((a, b) => a - b)
const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN
sendResult({ times, p50: at(0.5), p99: at(0.99), refused } satisfies Accepted)
await dispatcher.close()
