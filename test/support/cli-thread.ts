/** Thread that runs command lines of `millrace` one after the other, so that its modules are loaded once. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { main } from '../../ops/cli/main.ts'
import type { Said } from './millrace.ts'

parentPort?.on('message', async ({ args, port }: { args: string[]; port: MessagePort }) => {
  const said: Said = { code: 0, out: '', err: '' }
  const restoreOut = capture(process.stdout, (text) => {
    said.out += text
  })
  const restoreErr = capture(process.stderr, (text) => {
    said.err += text
  })
  process.exitCode = undefined
  said.code = await main(args)
  restoreOut()
  restoreErr()
  port.postMessage(said)
})

function capture(stream: NodeJS.WriteStream, take: (text: string) => void): () => void {
  const { write } = stream
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    take(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
    const done = rest.find((one) => typeof one === 'function')
    if (done) queueMicrotask(done as () => void)
    return true
  }) as typeof write
  return () => {
    stream.write = write
  }
}
