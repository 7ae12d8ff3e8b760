import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

/** A response, and the time of its request in milliseconds without the waits for a limit. */
export interface Sent {
  reply: unknown
  ms: number
}

export type Send = (path: string, body: string, type: string) => Promise<Sent>

/** Sends a body with a key. If a limit is reached, waits as the response says. */
export function sender(base: string, key: string): Send {
  return async (path, body, type) => {
    for (;;) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': type }
      const begun = performance.now()
      const answer = await fetch(base + path, { method: 'POST', headers, body })
      if (answer.ok) return { reply: await answer.json(), ms: performance.now() - begun }
      if (answer.status !== 429) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      await answer.arrayBuffer()
      await pause(1_000 * Number(answer.headers.get('retry-after') ?? 1))
    }
  }
}

/** Returns 64 random hexadecimal digits, because the order of customers' addresses and tokens is random. */
export const digits = (number: number): string => createHash('sha256').update(String(number)).digest('hex')

/** Returns a CSV file of contacts with a name and a tag. */
export function buildContactsCsv(from: number, to: number): string {
  const lines = ['email,name,tags']
  for (let n = from; n < to; n++) lines.push(`${digits(n).slice(0, 14)}@d${n % 500}.example,Person ${n},customer`)
  return `${lines.join('\n')}\n`
}
