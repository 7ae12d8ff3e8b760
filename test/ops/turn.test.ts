import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { noCoturn } from '../support/coturn.ts'
import { noTcpOnly } from '../support/tcp-only.ts'

const entry = fileURLToPath(new URL('../../ops/deploy/entry.ts', import.meta.url))
const skip = noCoturn || noTcpOnly()

t.setTimeout(240_000)

t.test('without its settings it says which', async (t) => {
  const env = childEnvironment({ ROOMS_TURN_SECRET: 'shared with the worker' })
  const ended = await promisify(execFile)(process.execPath, [entry, 'turn'], { env }).catch((error) => error)
  t.match(ended, { code: 1, stdout: /turn .*needs ROOMS_TURN_SECRET and ROOMS_PUBLIC_ADDRESS/ })
})

t.test('it is healthy once clients are answered, and ends when it is told to', { skip }, async (t) => {
  const env = childEnvironment({
    ROOMS_TURN_SECRET: 'shared with the worker',
    ROOMS_PUBLIC_ADDRESS: '192.0.2.1',
    MILLRACE_DATA: t.testdir({}),
    METRICS_PORT: '0',
  })
  // In a network of its own, as its port is TURN's.
  const script = `ip link set lo up && ip link add eth0 type veth peer name eth1
    ip addr add 10.213.252.2/24 dev eth0 && ip link set eth0 up && ip link set eth1 up
    "$1" "$2" health && echo healthy before
    "$1" "$2" turn & turn=$!
    trap 'kill -KILL $turn' EXIT
    for try in $(seq 60); do if "$1" "$2" health; then echo healthy; break; fi; sleep 0.2; done
    kill -TERM $turn
    wait $turn; echo "ended $?"
    trap - EXIT
    "$1" "$2" health || echo gone`
  const inside = spawn('unshare', ['-n', '--', 'bash', '-c', script, 'bash', process.execPath, entry], { env })
  let said = ''
  inside.stdout.on('data', (chunk) => {
    said += chunk
  })
  await once(inside, 'close')
  // Two processes write it: the server may be answered before its line is there.
  const lines = said.split('\n').map((line) => line.replace(/^\S+ turn +/, ''))
  t.strictSame(lines.slice(0, 2).toSorted(), ['healthy', 'listening on 3478, over UDP and TCP'])
  t.strictSame(lines.slice(2), ['ended 0', 'gone', ''])
})
