import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import t from 'tap'
import { runBackups } from '../../ops/trials/backup/run.ts'
import { findFullPostgres } from '../../ops/trials/failover/programs.ts'

t.setTimeout(1_200_000)

/** Why nothing can be tried here; false where all is there. */
async function lacking(): Promise<string | false> {
  for (const [program, word] of [
    ['pgbackrest', 'version'],
    ['/usr/sbin/haproxy', '-v'],
    ['openssl', 'version'],
  ] as const) {
    const runs = await promisify(execFile)(program, [word]).catch(() => null)
    if (!runs) return `${program} is not installed: bash ops/setup.sh deep`
  }
  return await findFullPostgres().then(
    () => false as const,
    (error: Error) => error.message,
  )
}

const skip = await lacking()

t.test(
  'a database comes back as it was before a drop table, on another host, in place, and when its host is lost',
  { skip },
  async (t) => {
    const before = await folders()
    const steps = await runBackups({ rounds: 1, rate: 10, around: 1_500 }, ({ name, ms, found }) =>
      t.comment(`${name}: ${(ms / 1000).toFixed(2)} s ${found}`),
    )
    for (const { name, broken } of steps) t.same(broken, [], name)
    t.equal(steps.filter(({ name }) => name.startsWith('restore ')).length, 3)
    t.same(await folders(), before, 'no folder is left')
    t.notOk(await runs('millrace-backup-'), 'and no process')
  },
)

const folders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('millrace-backup-')).sort()

/** Whether a process has that in its command line. */
async function runs(text: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.some((line) => line.includes(text))
}
