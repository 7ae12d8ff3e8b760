import { type StdioOptions, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { preferPort, preferUdpPorts } from '../../ops/start/ports.ts'

const ports = new URL('../../ops/start/ports.ts', import.meta.url)
const host = '127.0.0.1'

t.test('a port that one part is to have is given to no other, nor to another start before it is bound', async (t) => {
  const port = await preferPort(host, undefined)
  t.not(await preferPort(host, port), port)
  const beside = await inAnotherProcess(t, `preferPort('${host}', ${port})`)
  t.ok(beside > 0)
  t.not(beside, port)
})

t.test('UDP ports in a row: the wanted ones, unless another start has them or a program listens on one', async (t) => {
  const first = await preferUdpPorts(host, 0, 20)
  t.not(await inAnotherProcess(t, `preferUdpPorts('${host}', ${first}, 20)`), first)
  const wanted = first + 40
  const socket = createSocket('udp4').bind(wanted + 3, host)
  t.teardown(() => socket.close())
  await once(socket, 'listening')
  t.not(await preferUdpPorts(host, wanted, 20), wanted)
})

/** What an expression of ports.ts comes to in a process of its own, which keeps its ports until the test ends. */
async function inAnotherProcess(t: Test, expression: string): Promise<number> {
  const program = `import { preferPort, preferUdpPorts } from '${ports}'; process.on('message', () => {}); process.send(await ${expression})`
  const stdio: StdioOptions = ['ignore', 'inherit', 'inherit', 'ipc']
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio })
  t.teardown(() => child.kill())
  const [port] = await once(child, 'message')
  return port
}
