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
}

const { base, key, target, perSecond, seconds } = JSON.parse(process.argv[2] ?? '{}') as PaceSettings
const dispatcher = new Agent({ connections: 64 })
const now = () => performance.timeOrigin + performance.now()
const times: Record<string, number> = {}
const durations: number[] = []

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
  if (answer.statusCode !== 201) throw new Error(JSON.stringify(body))
  times[body.id] = at
}

const begun = performance.now()
const sent: Promise<unknown>[] = []
for (let i = 0; i < seconds * perSecond; i++) {
  const due = begun + (i * 1_000) / perSecond
  if (due > performance.now()) await pause(due - performance.now())
  sent.push(create())
}
await Promise.all(sent)
const sorted = durations.toSorted((a, b) => a - b)
const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN
sendResult({ times, p50: at(0.5), p99: at(0.99) } satisfies Accepted)
await dispatcher.close()
