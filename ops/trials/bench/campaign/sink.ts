/**
 * An SMTP server that accepts everything and counts messages by recipient. It keeps one byte per contact and the arrival
 * time of each transactional message, and no bodies.
 */
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { sendResult } from '../child.ts'
import { Conversation } from './conversation.ts'

export interface SinkSettings {
  contacts: number
}

export interface SinkPorts {
  smtp: number
  counts: number
}

export interface SinkCounts {
  /** Contacts with at least one message, and messages of the campaign, repeated ones included. */
  reached: number
  messages: number
  /** Arrival of the last message of the campaign, in milliseconds since 1970. */
  lastAt: number
  /** Arrivals of transactional messages by number. */
  arrivals: [number: number, at: number][]
}

const { contacts } = JSON.parse(process.argv[2] ?? '{}') as SinkSettings
const received = new Uint8Array(contacts + 1)
const arrivals = new Map<number, number>()
let lastAt = 0

function count(recipient: string): void {
  const [, kind, number] = /<([ct])(\d+)@/i.exec(recipient) ?? []
  if (kind === 'c') {
    const at = Number(number)
    received[at] = Math.min(255, (received[at] ?? 0) + 1)
    lastAt = Date.now()
  } else if (kind === 't' && !arrivals.has(Number(number))) arrivals.set(Number(number), Date.now())
}

function counts(): SinkCounts {
  let [reached, messages] = [0, 0]
  for (const times of received) {
    if (times > 0) reached++
    messages += times
  }
  return { reached, messages, lastAt, arrivals: [...arrivals] }
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const smtp = await portOf(createServer((socket) => void new Conversation(socket, count)))
const http = await portOf(createHttpServer((_, res) => res.end(JSON.stringify(counts()))))
sendResult({ smtp, counts: http } satisfies SinkPorts)
