import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { childEnvironment } from '#lib/config.ts'
import { type DatabasePool, openPool, sql } from '#sql/db.ts'
import type { RestorePoint } from './bed.ts'
import type { Host } from './host.ts'
import type { Ledger } from './load.ts'
import type { Store } from './store.ts'

export interface Verdict {
  items: number
  /** Number of accepted items that do not exist. Their responses came after the point in time. */
  gone: number
  broken: string[]
}

/**
 * Compares the accepted items with a restored database: rows, and the jobs of the same transactions. Only items that
 * exist stay in the ledger.
 */
export async function compareWithLedger(url: string, ledger: Ledger, { from, to }: RestorePoint): Promise<Verdict> {
  const { accepted } = ledger
  const db = await openPool(url, 2)
  try {
    const rows = new Set(await ids(db, sql.fragment`select id::text from erp.imports`))
    const jobs = new Set(
      await ids(
        db,
        sql.fragment`select j.payload -> 'payload' ->> 'importId' as id from jobs_web._private_jobs as j
          join jobs_web._private_tasks as t on t.id = j.task_id where t.identifier = 'erp/import'`,
      ),
    )
    const gone = accepted.filter(({ id }) => !rows.has(id))
    const wrong = {
      'accepted before the restored time but missing': gone.filter(({ answered }) => answered <= from).length,
      'sent after the restored time but stored': accepted.filter(({ id, asked }) => asked >= to && rows.has(id)).length,
      'rows without their job': [...rows].filter((id) => !jobs.has(id)).length,
      'jobs without their row': [...jobs].filter((id) => !rows.has(id)).length,
    }
    const broken = Object.entries(wrong).flatMap(([what, count]) => (count === 0 ? [] : `${count} ${what}`))
    ledger.accepted = accepted.filter(({ id }) => rows.has(id))
    if (rows.size === 0) broken.push('the database has no items')
    return { items: rows.size, gone: gone.length, broken }
  } finally {
    await db.end()
  }
}

const ids = async (db: DatabasePool, query: ReturnType<typeof sql.fragment>) =>
  await db.anyFirst(sql.type(z.object({ id: z.string() }))`${query}`)

const Finding = z.object({ check: z.string(), ok: z.boolean(), found: z.string() })

/** Timeout in milliseconds for `doctor` to succeed. */
const doctorPatience = 120_000

const checkout = fileURLToPath(new URL('../../..', import.meta.url))

export async function runOperatorSteps(host: Host, url: string, store: Store): Promise<string[]> {
  const env = childEnvironment({
    DATABASE_URL: url,
    S3_ENDPOINT: store.url,
    S3_BUCKET: store.storage.bucket,
    S3_ACCESS_KEY: store.accessKey,
    S3_SECRET_KEY: store.secretKey,
    BACKUP_STANZA: 'millrace',
    BACKUP_CONFIG: host.etc,
    LOG_LEVEL: 'warn',
  })
  const run = async (...words: string[]) =>
    await promisify(execFile)(process.execPath, words, { cwd: checkout, env, maxBuffer: 2 ** 24 }).catch(
      ({ stdout, stderr, code }) => ({ stdout: String(stdout), stderr: String(stderr), code: Number(code) }),
    )
  const failed = (name: string, said: { stdout: string; stderr: string }) =>
    'code' in said ? [`${name} fails: ${said.stderr || said.stdout}`] : []
  const migrated = failed('migrate', await run('ops/migrate-now.ts'))
  const check = failed('storage check', await run('ops/millrace.ts', 'storage', 'check'))
  const looked = ['database', 'migrations', 'queues', 'runs', 'storage', 'backup', 'archive']
  const doctor = async () => {
    const { stdout } = await run('ops/millrace.ts', 'doctor', '--only', looked.join(','), '--json')
    return z.array(Finding).parse(JSON.parse(stdout))
  }
  // Each check has a time limit of seconds, which a busy machine can miss.
  let findings = await doctor()
  const until = performance.now() + doctorPatience
  while (findings.some(({ ok }) => !ok) && performance.now() < until) findings = await doctor()
  const faults = looked.flatMap((name) => {
    const found = findings.filter(({ check }) => check === name)
    if (found.length === 0) return [`doctor has no line for ${name}`]
    return found.filter(({ ok }) => !ok).map(({ check, found }) => `doctor finds a fault with ${check}: ${found}`)
  })
  return [...migrated, ...check, ...faults]
}
