import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs the machine's ffmpeg, apart from our own engine; a failure throws with what it said. */
export async function ffmpeg(...args: string[]): Promise<Buffer> {
  const options = { encoding: 'buffer', maxBuffer: 2 ** 28 } as const
  const { stdout } = await execute('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args], options)
  return stdout
}

/** What ffprobe says about the streams of a file, as lists of `key=value` records. */
export async function ffprobe(path: string, entries: string, ...args: string[]): Promise<Record<string, string>[]> {
  const { stdout } = await execute(
    'ffprobe',
    ['-v', 'error', ...args, '-show_entries', entries, '-of', 'compact=p=0', path],
    {
      maxBuffer: 2 ** 28,
    },
  )
  const lines = stdout.split('\n').filter((line) => line.includes('='))
  return lines.map((line) => Object.fromEntries(line.split('|').map((pair) => pair.split('=') as [string, string])))
}
