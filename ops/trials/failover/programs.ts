import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { config } from '#lib/config.ts'

const debian = '/usr/lib/postgresql'

/**
 * Returns the folder of a complete Postgres with replication tools: `POSTGRES_BIN`, or the newest Debian package. The
 * npm package contains only the server.
 */
export async function findFullPostgres(): Promise<string> {
  const versions = (await readdir(debian).catch(() => [])).sort((a, b) => Number(b) - Number(a))
  const folders = [
    ...(config.POSTGRES_BIN ? [config.POSTGRES_BIN] : []),
    ...versions.map((v) => join(debian, v, 'bin')),
  ]
  for (const folder of folders) {
    const whole = ['postgres', 'initdb', 'pg_basebackup', 'pg_dump', 'psql'].map((name) => access(join(folder, name)))
    if ((await Promise.allSettled(whole)).every(({ status }) => status === 'fulfilled')) return folder
  }
  throw new Error('No Postgres with pg_basebackup is installed. Install postgresql, or set POSTGRES_BIN.')
}
