import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { preferPort } from '../../../start/ports.ts'
import { killWithParent } from '../../../start/supervise.ts'
import { CannotMeasureError } from '../benchmark.ts'

export async function startSink(ends: AsyncDisposableStack): Promise<number> {
  const port = await preferPort('127.0.0.1', undefined)
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const { file, args } = killWithParent('/usr/sbin/smtp-sink', ...user, `127.0.0.1:${port}`, '500')
  const sink = spawn(file, args, { stdio: 'ignore' })
  const ended = once(sink, 'exit')
  ends.defer(async () => {
    sink.kill()
    await ended
  })
  for (let tried = 0; tried < 50; tried++) {
    const socket = connect(port, '127.0.0.1')
    const isUp = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isUp) return port
    await pause(100)
  }
  throw new CannotMeasureError('smtp-sink is not running. Install the Debian package postfix.')
}
