import { readdir, readFile } from 'node:fs/promises'
import { kill } from '../kill.ts'

/** Ends what still runs with a path below a folder in its command line, as pgBackRest does in the background. */
export async function endStrays(folder: string): Promise<void> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  for (const pid of pids) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (pid !== process.pid && line.includes(`${folder}/`)) kill(pid)
  }
}
