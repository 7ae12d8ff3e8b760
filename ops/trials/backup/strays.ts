import { readdir, readFile } from 'node:fs/promises'
import { kill } from '../../kill.ts'

/** Kills processes whose command line contains a path below a folder, such as background processes of pgBackRest. */
export async function killStrayProcesses(folder: string): Promise<void> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  for (const pid of pids) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (pid !== process.pid && line.includes(`${folder}/`)) kill(pid)
  }
}
