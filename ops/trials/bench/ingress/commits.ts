import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { noOp } from '../no-op.ts'

const execute = promisify(execFile)

const statements = (orgId: string) => [
  'begin',
  `insert into bench.notes (id, org_id, text) values (uuidv7(), '${orgId}', 'a note of some length, as notes are')`,
  // A space after each colon, because pgbench reads `:null` as a variable.
  `select id from jobs_core.add_job('${noOp.name}', '{"payload": {}}'::json, max_attempts => ${noOp.attempts})`,
  'commit',
]

export interface Commits {
  url: string
  orgId: string
  folder: string
  clients: number
  seconds: number
}

export async function measureCommits(wanted: Commits): Promise<{ perSecond: number; by: string }> {
  const here = await execute('pgbench', ['--version']).catch(() => undefined)
  if (here) return { perSecond: await pgbench(wanted), by: here.stdout.trim() }
  return { perSecond: await loop(wanted), by: 'a loop over pg, because pgbench is not installed' }
}

async function pgbench({ url, orgId, folder, clients, seconds }: Commits): Promise<number> {
  const file = join(folder, 'request.sql')
  await writeFile(file, `${statements(orgId).join(';\n')};\n`)
  const args = ['-n', '-M', 'prepared', '-c', `${clients}`, '-j', '2', '-T', `${seconds}`, '-f', file, url]
  const { stdout } = await execute('pgbench', args).catch((error: Error) => {
    throw new Error(`pgbench failed: ${error.message.slice(0, 600)}`)
  })
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
}

async function loop({ url, orgId, clients, seconds }: Commits): Promise<number> {
  const prepared = statements(orgId).map((text, i) => ({ name: `statement_${i}`, text }))
  const begun = performance.now()
  let count = 0
  const run = async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    while (performance.now() - begun < seconds * 1000) {
      for (const statement of prepared) await client.query(statement)
      count++
    }
    await client.end()
  }
  await Promise.all(Array.from({ length: clients }, run))
  return count / ((performance.now() - begun) / 1000)
}
