/** Opens streams as plain sockets. Reports when all are open, and each time when all have received another event. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { sendResult } from '../child.ts'

export interface FollowSettings {
  port: number
  paths: string
}

const { port, paths: file } = JSON.parse(process.argv[2] ?? '{}') as FollowSettings
const paths: string[] = JSON.parse(readFileSync(file, 'utf8'))
const marker = Buffer.from('event: message')
let events = 0

function count(socket: Socket): void {
  socket.on('data', (chunk) => {
    for (let at = chunk.indexOf(marker); at !== -1; at = chunk.indexOf(marker, at + 1)) {
      events++
      if (events % paths.length === 0) sendResult({ events })
    }
  })
}

/** Maximum number of streams per IP address. If more are opened within a minute, they are rejected. */
const perAddress = 5_000

async function open(path: string, n: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + Math.floor(n / perAddress)}` })
  socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)
  const [head] = (await once(socket, 'data')) as [Buffer]
  if (!head.toString().startsWith('HTTP/1.1 200')) throw new Error(head.toString().slice(0, 300))
  count(socket)
}

// In small groups, because a listening socket has a limited backlog.
for (let i = 0; i < paths.length; i += 100)
  await Promise.all(paths.slice(i, i + 100).map((path, n) => open(path, i + n)))
sendResult({ events })
process.on('SIGTERM', () => process.exit(0))
