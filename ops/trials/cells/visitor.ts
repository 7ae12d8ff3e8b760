import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'

export interface Visit {
  name: string
  url: string
  key: string
}

export interface VisitResults {
  name: string
  sent: number
  ok: number
  /** Number of responses with 503 and Retry-After, after which the client retries. */
  away: number
  other: number
  first: string
  median: number
  worst: number
}

/** Sends visits at a steady rate, regardless of response times. Each visit comes from its own client. */
export class Visitors {
  readonly #visits: readonly Visit[]
  readonly #every: number
  readonly #agents: Agent[]

  constructor(visits: readonly Visit[], perSecond: number) {
    this.#visits = visits
    this.#every = 1000 / perSecond
    this.#agents = visits.map(() => new Agent({ connections: 64, headersTimeout: 30_000 }))
  }

  async watch(ms: number): Promise<VisitResults[]> {
    return await Promise.all(this.#visits.map((visit, i) => this.#send(visit, this.#agents[i] as Agent, ms)))
  }

  async #send({ name, url, key }: Visit, dispatcher: Agent, ms: number): Promise<VisitResults> {
    const seen = { name, sent: 0, ok: 0, away: 0, other: 0, first: '' }
    const times: number[] = []
    const begun = performance.now()
    const note = (what: string) => {
      if (seen.other++ === 0) seen.first = what
    }
    const one = async (due: number) => {
      const answer = await request(url, { dispatcher, headers: { authorization: `Bearer ${key}` } })
      const text = await answer.body.text()
      times.push(performance.now() - due)
      if (answer.statusCode === 200) seen.ok++
      else if (answer.statusCode === 503 && answer.headers['retry-after']) seen.away++
      else note(`${answer.statusCode} ${text.slice(0, 200)}`)
    }
    const all: Promise<void>[] = []
    for (let due = begun; due < begun + ms; due += this.#every) {
      await pause(Math.max(0, due - performance.now()))
      seen.sent++
      all.push(one(due).catch((error: Error) => note(error.message)))
    }
    await Promise.all(all)
    times.sort((a, b) => a - b)
    return { ...seen, median: times[times.length >> 1] ?? Number.NaN, worst: times.at(-1) ?? Number.NaN }
  }

  async close(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.destroy()))
  }
}
