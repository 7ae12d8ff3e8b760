import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Waits until its input is closed. Then removes the folder repeatedly, because other processes still write to it. */
const janitor =
  'trap "" INT TERM HUP; read -r _; for i in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$0" && exit; sleep 0.2; done'

/** Creates a folder that is removed with `ends`, even if this process is killed before. */
export async function createTemporaryFolder(ends: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-ceph-'))
  const child = spawn('sh', ['-c', janitor, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  const exit = once(child, 'exit')
  ends.defer(async () => {
    child.stdin.end()
    await exit
  })
  return folder
}
