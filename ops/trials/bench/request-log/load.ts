/** Sends requests at a steady rate with the keys in turn. Reports accepted and rejected requests. */
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { sendResult } from '../child.ts'

export interface SteadySettings {
  port: number
  keys: string[]
  perSecond: number
  seconds: number
}

export interface SteadyResult {
  accepted: number
  refused: number
  perSecond: number
}

const { port, keys, perSecond, seconds } = JSON.parse(process.argv[2] ?? '{}') as SteadySettings
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const body = JSON.stringify({ text: 'a note of some length, as notes are', urgent: false })
const [tickMs, begun] = [10, performance.now()]
let [sent, accepted, refused] = [0, 0, 0]

function send(): Promise<void> {
  const key = keys[sent++ % keys.length] as string
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': body.length }
  const ended = Promise.withResolvers<void>()
  const asked = request(
    { agent, port, host: '127.0.0.1', method: 'POST', path: '/v1/bench/read', headers },
    (reply) => {
      if (reply.statusCode === 202) accepted++
      else refused++
      reply.resume().once('close', ended.resolve)
    },
  )
  asked.once('error', () => {
    refused++
    ended.resolve()
  })
  asked.end(body)
  return ended.promise
}

const open = new Set<Promise<void>>()
while (performance.now() - begun < seconds * 1000) {
  const due = Math.floor(((performance.now() - begun) / 1000) * perSecond)
  // If the server is slower than the rate, it gets as much as it can handle.
  while (sent < due && open.size < 512) {
    const one = send()
    open.add(one)
    void one.then(() => open.delete(one))
  }
  await pause(tickMs)
}
const took = (performance.now() - begun) / 1000
await Promise.all(open)
agent.destroy()
sendResult({ accepted, refused, perSecond: (accepted + refused) / took } satisfies SteadyResult)
