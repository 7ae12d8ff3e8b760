import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { type Db, openPool } from '#sql/db.ts'
import { countWaitingSegments, evaluateArchive } from '../../ops/cli/doctor/archive.ts'
import { evaluateBackups } from '../../ops/cli/doctor/backup.ts'
import { runPgbackrestInfo, type Stanza } from '../../ops/cli/doctor/backup-info.ts'
import { findFullPostgres } from '../../ops/trials/failover/programs.ts'
import { runSql } from '../../ops/trials/failover/run-sql.ts'
import { Server } from '../../ops/trials/failover/server.ts'
import { testDatabase } from '../support/database.ts'
import { commandLine } from '../support/millrace.ts'
import { freePort } from '../support/postgres.ts'
import { dataFolder } from '../support/stack.ts'
import { until } from '../support/until.ts'

/** A program in the place of pgBackRest that notes how it was called and does as told. */
async function fake(t: Test, script: string): Promise<string> {
  const path = join(t.testdir({ pgbackrest: `#!/bin/sh\necho "$@" >>"$0.calls"\n${script}\n` }), 'pgbackrest')
  await chmod(path, 0o755)
  return path
}

interface Sample {
  full?: number
  diff?: number
  error?: boolean
  status?: [code: number, message: string]
  held?: boolean
}

/** What pgBackRest 2.45 says of a stanza with a full and a differential backup, which ended so many hours ago. */
function info({ full, diff, error = false, status: [code, message] = [0, 'ok'], held = false }: Sample): Stanza {
  const repository = { cipher: 'aes-256-cbc', key: 1, status: { code, message } }
  const backup = (label: string, type: 'full' | 'diff', hoursAgo: number) => {
    const stop = Math.floor(Date.now() / 1000 - hoursAgo * 3_600)
    return {
      archive: { start: '00000001000000000000000A', stop: '00000001000000000000000A' },
      backrest: { format: 5, version: '2.45' },
      database: { id: 1, 'repo-key': 1 },
      error,
      info: { delta: 36_180_000, repository: { delta: 4_700_000, size: 4_700_000 }, size: 36_180_000 },
      label,
      lsn: { start: '0/A000028', stop: '0/A000138' },
      prior: null,
      reference: null,
      timestamp: { start: stop - 9, stop },
      type,
    }
  }
  const stanza = {
    archive: [
      {
        database: { id: 1, 'repo-key': 1 },
        id: '15-1',
        max: '00000001000000000000000C',
        min: '000000010000000000000001',
      },
    ],
    backup: [
      ...(full === undefined ? [] : [backup('20261124-030000F', 'full', full)]),
      ...(diff === undefined ? [] : [backup('20261124-030000F_20261125-030000D', 'diff', diff)]),
    ],
    cipher: 'aes-256-cbc',
    db: [{ id: 1, 'repo-key': 1, 'system-id': 7_575_757_575, version: '15' }],
    name: 'millrace',
    repo: [repository],
    status: { code, lock: { backup: { held } }, message },
  }
  return stanza
}

const limits = { BACKUP_MAX_AGE_HOURS: 26, BACKUP_FULL_MAX_AGE_DAYS: 8 }
const said = (sample: Sample, more: Partial<typeof limits> = {}) =>
  evaluateBackups(info(sample), { ...limits, ...more })

t.test('the ages of the last full backup and of the last of any kind are told', async (t) => {
  t.match(said({ full: 50, diff: 3, held: true }), {
    ok: true,
    found:
      /^the last full backup is 2 d old, the last backup \(diff\) 3\.0 h; 2 backups exist; another is in progress$/,
  })
})

t.test('too old ones are a fault, each kind by its own limit', async (t) => {
  t.match(said({ full: 50, diff: 30 }), { ok: false, found: /^no backup is newer than 26 h: / })
  t.match(said({ full: 50, diff: 30 }, { BACKUP_MAX_AGE_HOURS: 48 }), { ok: true })
  t.match(said({ full: 9 * 24, diff: 3 }), { ok: false, found: /^no full backup is newer than 8 d: / })
  t.match(said({ full: 9 * 24, diff: 3 }, { BACKUP_FULL_MAX_AGE_DAYS: 10 }), { ok: true })
  t.match(said({ full: 1, error: true }), { ok: false, found: /20261124-030000F contains pages with a wrong checksum/ })
  t.match(said({}), { ok: false, found: /has no full backup/, todo: /backup --type=full/ })
})

t.test('what pgBackRest finds wrong is told with what to do', async (t) => {
  const cases = [
    [1, 'missing stanza path', /stanza-create/],
    [2, 'no valid backups', /backup --type=full/],
    [3, 'missing stanza data', /stanza-create/],
    [5, 'database mismatch across repos', /stanza-upgrade/],
    [99, 'other', /run `pgbackrest --stanza=millrace check`/],
  ] as const
  for (const [code, message, todo] of cases)
    t.match(said({ status: [code, message] }), { ok: false, todo, found: new RegExp(`^stanza millrace: ${message}`) })
})

t.test('a program that is not there, fails or says something else is told in a sentence', async (t) => {
  const asked = async (script: string) =>
    await runPgbackrestInfo('millrace', undefined, await fake(t, script)).then(
      () => 'well',
      ({ message }: Error) => message,
    )
  const refusal = 'ERROR: [041]: unable to open file'
  t.equal(await asked(`echo "${refusal}" >&2; exit 41`), `pgbackrest info failed: ${refusal}`)
  t.equal(await asked('echo "<html>"'), 'pgbackrest info did not return JSON: "<html>"')
  t.match(await asked(`echo '[{"name":"millrace"}]'`), /has an unknown format/)
  t.match(await asked('echo "[]"'), /has no stanza millrace/)
  t.match(await asked('head -c 20000000 /dev/zero'), /failed: .*maxBuffer/)
  await t.rejects(runPgbackrestInfo('millrace', undefined, '/no/such/pgbackrest'), /the program .* is not installed/)
})

t.test('a folder of configuration that is not there is named', async (t) => {
  await t.rejects(
    runPgbackrestInfo('millrace', '/no/such', await fake(t, 'exit 0')),
    /BACKUP_CONFIG names \/no\/such, which does not exist/,
  )
})

t.test('one that hangs is given up', async (t) => {
  const begun = performance.now()
  await t.rejects(
    runPgbackrestInfo('millrace', undefined, await fake(t, 'exec sleep 600')),
    /did not respond within 4.5 s/,
  )
  t.ok(performance.now() - begun < 60_000)
})

t.test('how many segments wait is told across timelines, and not where a history was archived last', async (t) => {
  const bytes = 16 * 2 ** 20
  const waiting = (current: string | null, archived: string) => countWaitingSegments({ current, archived, bytes })
  t.equal(waiting('00000001000000000000000C', '00000001000000000000000B'), 0)
  t.equal(waiting('0000000200000001000000FF', '000000010000000100000001'), 253)
  t.equal(waiting('000000010000000200000000', '0000000100000001000000FD'), 2)
  t.equal(waiting('00000003000000000000000C', '00000003.history'), 0)
  t.equal(waiting(null, '00000001000000000000000B'), 0, 'a standby writes none')
})

t.test('a log that is not archived, is refused, or goes elsewhere is told', async (t) => {
  const limits = { BACKUP_LOG_MAX_AGE_MINUTES: 10 }
  const found = (db: Db, max: string | null) =>
    evaluateArchive(db, 'millrace', limits, async () => ({ archive: max === null ? [] : [{ max }] }))
  const { db: plain } = await testDatabase(t)
  t.match(await found(plain, null), { ok: false, found: /^archive_mode is off/ })

  const data = await dataFolder(t)
  const place = {
    name: 'a',
    programs: await findFullPostgres(),
    dir: join(data, 'a'),
    host: '127.0.0.1',
    password: 'secret',
  }
  const settings = { fsync: 'off', shared_buffers: '16MB', archive_mode: 'on' }
  const server = new Server({ ...place, port: await freePort(), settings })
  t.teardown(() => server.kill())
  await server.create()
  await server.start()
  const db = await openPool(server.url, 2)
  t.teardown(() => db.end())
  const archiveBy = async (command: string) => {
    await runSql(server.url, `alter system set archive_command = '${command}'`)
    await runSql(server.url, 'select pg_reload_conf()')
    await runSql(server.url, `select pg_switch_wal() from pg_logical_emit_message(true, 'a', 'b')`)
  }
  t.match(await found(db, null), { ok: false, found: /^nothing has been archived/ })
  await archiveBy('/bin/false')
  const refused = await until(
    async () => (await found(db, null)).found.startsWith('archiving') && (await found(db, null)),
  )
  t.match(refused, { ok: false, found: /^archiving [0-9A-F]{24} fails$/ })
  await archiveBy('/bin/true')
  const archived =
    'select last_archived_wal from pg_stat_archiver where last_archived_time > coalesce(last_failed_time, now())'
  const last = String(await until(() => runSql(server.url, archived), { timeout: 90_000 }))
  t.match(await found(db, last), {
    ok: true,
    found: /^the latest log segment was archived .* ago; \d+ segments are waiting$/,
  })
  t.match(await found(db, '000000010000000000000000'), {
    ok: false,
    found: /^Postgres has archived .* repository has 0{7}10{16}$/,
  })
  t.match(await found(db, null), { ok: false, found: /the repository has nothing$/ })
})

t.test('doctor asks it, and tells of the checks that are asked for', async (t) => {
  const program = await fake(t, `cat <<'END'\n${JSON.stringify([info({ full: 50, diff: 3 })])}\nEND`)
  const PATH = `${join(program, '..')}:${childEnvironment({}).PATH}`
  const { run } = commandLine('postgres://127.0.0.1:1/none')
  const asked = { PATH, BACKUP_STANZA: 'millrace', BACKUP_CONFIG: join(program, '..') }
  const { code, out } = await run('doctor --only backup,archive --json', asked)
  t.match(
    [code, JSON.parse(out)],
    [
      1,
      [
        { check: 'database', ok: false },
        { check: 'backup', ok: true },
      ],
    ],
  )
  t.match(
    await readFile(`${program}.calls`, 'utf8'),
    `info --output=json --stanza=millrace --config-path=${join(program, '..')} --log-level-file=off `,
  )
  t.match(await run('doctor --only backups'), { code: 2, err: /unknown check backups; the checks are database, / })
})
