import { chown, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { launchCommand, serverAccount } from '../../embedded/postgres-account.ts'
import type { Part } from '../../start/supervise.ts'

const shipped = fileURLToPath(new URL('../../deploy/postgres/pgbouncer.ini', import.meta.url))

export interface PoolerOptions {
  /** An empty folder that the account of Postgres can access. */
  dir: string
  host: string
  port: number
  password: string
  adminPassword: string
  primary: Address
  /** Name of the database on the server. Default: `millrace`. */
  database?: string
}

export interface Address {
  host: string
  port: number
}

export async function poolerPart(options: PoolerOptions): Promise<Part> {
  const { dir, host, port, password, adminPassword, primary, database = 'millrace' } = options
  const account = await serverAccount(dir)
  const files = {
    'pgbouncer.ini': (await readFile(shipped, 'utf8'))
      .replaceAll(
        'host=127.0.0.1 port=5000 dbname=millrace',
        `host=${primary.host} port=${primary.port} dbname=${database}`,
      )
      .replace('listen_addr = 127.0.0.1', `listen_addr = ${host}`)
      .replace('listen_port = 6432', `listen_port = ${port}`)
      .replaceAll(/\/(etc\/pgbouncer|var\/log\/postgresql|run\/postgresql)\//g, `${dir}/`),
    'userlist.txt': `"millrace" "${password}"\n"pgbouncer" "${adminPassword}"\n`,
  }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(dir, name), text, { mode: 0o600 })
    if (account) await chown(join(dir, name), account.uid, account.gid)
  }
  if (account) await chown(dir, account.uid, account.gid)
  const admin = adminUrl(options)
  return {
    name: 'pgbouncer',
    command: () => launchCommand('/usr/sbin/pgbouncer', ['-q', join(dir, 'pgbouncer.ini')], dir),
    ready: { check: () => answers(admin) },
    stopSignal: 'SIGTERM',
    grace: 1_000,
    quiet: true,
  }
}

export const adminUrl = ({ host, port, adminPassword }: PoolerOptions): string =>
  `postgres://pgbouncer:${adminPassword}@${host}:${port}/pgbouncer`

export function pooledUrls({ host, port, password }: PoolerOptions): { sessions: string; transactions: string } {
  const url = `postgres://millrace:${password}@${host}:${port}`
  return { sessions: `${url}/millrace`, transactions: `${url}/millrace_pooled` }
}

async function answers(admin: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: admin, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('show version')
    return true
  } finally {
    await client.end().catch(() => {})
  }
}
