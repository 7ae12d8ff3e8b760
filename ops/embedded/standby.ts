import { execFile } from 'node:child_process'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Postgres, type PostgresOptions, startPostgres } from './postgres.ts'
import { serverAccount } from './postgres-account.ts'

const execute = promisify(execFile)

/**
 * Starts a standby of a primary on this host. The primary stops while its folder is copied. The standby has the
 * primary’s password. It cancels reads for replay only if its settings say so.
 */
export async function startStandby(
  primary: Postgres,
  primaryDir: string,
  options: Omit<PostgresOptions, 'password'>,
): Promise<Postgres> {
  const { dir } = options
  await primary.stop()
  try {
    await execute('cp', ['-a', primaryDir, dir])
  } finally {
    await primary.restart()
  }
  const signal = join(dir, 'standby.signal')
  await writeFile(signal, '')
  const account = await serverAccount(dir)
  if (account) await chown(signal, account.uid, account.gid)
  const { username, password, hostname, port } = new URL(primary.url)
  const primary_conninfo = `host=${hostname} port=${port} user=${username} password=${password}`
  return await startPostgres({ ...options, password, settings: { ...options.settings, primary_conninfo } })
}
