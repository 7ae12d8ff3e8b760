import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { isServiceUnavailable } from '../../../ingress/http/problems.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'
import { assignIds, type ItemRequest, type Kind, kinds, submit } from './submit.ts'

export interface LoadReport {
  accepted: Map<string, Kind>
  answered: number
  /** Number of requests that were repeated because there was no response, or a 502, 503 or 504. */
  repeated: number
  /** Responses that no fault excuses. */
  wrong: string[]
  acceptedAt: number
}

export interface Load {
  readonly told: LoadReport
  /** Stops sending new items. Resolves when all sent items have been accepted. */
  stop(): Promise<void>
}

const lanes = { requests: 8, transactions: 2 }

const perTransaction = 10

const keys = 12

/**
 * Starts a load of about `rate` items per second for `round`. The rate may change. Each client repeats requests without
 * a response.
 */
export function startLoad(stage: Stage, round: number, rate: number | (() => number), random: Random): Load {
  const rateNow = typeof rate === 'number' ? () => rate : rate
  const report: LoadReport = { accepted: new Map(), answered: 0, repeated: 0, wrong: [], acceptedAt: 0 }
  const weighted = Object.entries(kinds).flatMap(([kind, share]) => Array<Kind>(share).fill(kind as Kind))
  let count = 0
  let over = false

  function wish(): ItemRequest {
    const kind = random.pick(weighted)
    const delay = random.below(10) === 0 ? 500 : 0
    const common = { name: `${round}:${count++}`, kind, round, priority: random.below(7), delay }
    return kind === 'keyed' ? { ...common, key: `${round}:${random.below(keys)}` } : common
  }

  async function request(lane: number): Promise<void> {
    if (lane === 0) return await question()
    const wanted = wish()
    const path = lane % 2 === 0 ? '/v1/chaos/items' : '/v1/chaos/grouped-items'
    await untilAnswered(path, wanted, 202)
    report.accepted.set(wanted.name, wanted.kind)
    report.acceptedAt = performance.now()
  }

  async function question(): Promise<void> {
    const word = `${round}:${count++}`
    const answer = (await untilAnswered('/v1/chaos/questions', { word }, 200)) as { word: string }
    if (answer.word !== word) report.wrong.push(`the question ${word} was answered ${answer.word}`)
    report.answered++
  }

  async function untilAnswered(path: string, body: object, wanted: number): Promise<unknown> {
    const key = 'name' in body ? String(body.name) : undefined
    for (;;) {
      const answer = await send(stage, path, body, key)
      if (answer?.status === wanted) return answer.body
      const excused = !answer || [503, 429].includes(answer.status) || (!key && [502, 504].includes(answer.status))
      if (!excused) report.wrong.push(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      report.repeated++
      await pause(200)
    }
  }

  async function transaction(): Promise<void> {
    const items = assignIds(Array.from({ length: perTransaction }, wish))
    // It is unknown whether an interrupted commit succeeded. The IDs make a second attempt harmless.
    while (!(await committed(items))) await pause(200)
    for (const { name, kind } of items) report.accepted.set(name, kind)
  }

  async function committed(items: ReturnType<typeof assignIds>): Promise<boolean> {
    try {
      await stage.db.transaction((tx) => submit(tx, items, stage.stranger.url))
      return true
    } catch (error) {
      if (!isServiceUnavailable(error)) report.wrong.push(describe(error))
      report.repeated++
      return false
    }
  }

  async function keepOn(work: () => Promise<void>, share: number): Promise<void> {
    while (!over) {
      const begun = performance.now()
      await work()
      await pause(Math.max(0, 1000 / (rateNow() * share) - (performance.now() - begun)))
    }
  }

  const running = [
    ...Array.from({ length: lanes.requests }, (_, i) => keepOn(() => request(i), 1 / 2 / lanes.requests)),
    ...Array.from({ length: lanes.transactions }, () =>
      keepOn(transaction, 1 / 2 / lanes.transactions / perTransaction),
    ),
  ]
  return {
    told: report,
    async stop() {
      over = true
      await Promise.all(running)
    },
  }
}

async function send(stage: Stage, path: string, body: object, key: string | undefined) {
  const headers = {
    authorization: `Bearer ${stage.key}`,
    'content-type': 'application/json',
    ...(key && { 'idempotency-key': key }),
  }
  const signal = AbortSignal.timeout(20_000)
  try {
    const answer = await fetch(stage.base + path, { method: 'POST', headers, body: JSON.stringify(body), signal })
    return { status: answer.status, body: (await answer.json()) as unknown }
  } catch {
    return undefined
  }
}
