import type { Readable } from 'node:stream'
import { type Exit, type GroupCommand, runGroup } from './process-group.ts'

export type OutputCommand = Omit<GroupCommand, 'grace' | 'onOutput'>

/** Yields standard output as fast as it is consumed. Returns the exit. Ending the iteration kills the command. */
export async function* streamOutput(command: OutputCommand): AsyncGenerator<Buffer, Exit> {
  const left = new AbortController()
  const signal = AbortSignal.any([command.signal, left.signal])
  const pipe: { output?: Readable } = {}
  const end = runGroup({
    ...command,
    signal,
    grace: 0,
    onOutput(output) {
      pipe.output = output
    },
  })
  end.catch(() => {})
  try {
    if (pipe.output) for await (const chunk of pipe.output) yield chunk as Buffer
    return await end
  } finally {
    left.abort(new Error('The rest of the output is not needed.'))
    await end.catch(() => {})
  }
}
