import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'tap'
import { startPostgres } from '../../ops/embedded/postgres.ts'
import { majorVersion } from '../../ops/embedded/postgres-folder.ts'
import { options, rows } from './own-postgres.ts'

test('a lock file that names a living process of another program does not stop it', async (t) => {
  const wanted = await options(t)
  await (await startPostgres(wanted)).stop('immediate')
  await writeFile(join(wanted.dir, 'postmaster.pid'), `${process.pid}\n${wanted.dir}\n1\n${wanted.port}\n\n\n\nready\n`)
  const server = await startPostgres(wanted)
  t.match(await readFile(join(wanted.dir, 'postmaster.pid'), 'utf8'), new RegExp(`^${server.pid}\n`))
  await server.stop()
})

test('settings of the caller win, and a bad one fails the start', async (t) => {
  const wanted = await options(t)
  const server = await startPostgres({ ...wanted, settings: { ...wanted.settings, max_connections: '17' } })
  t.same(await rows(server.url, 'show max_connections'), [{ max_connections: '17' }])
  await server.stop()
  await t.rejects(startPostgres({ ...wanted, settings: { no_such_setting: '1' } }), /Postgres exited during startup/)
})

test('it is the Postgres that POSTGRES_BIN names, else the npm package’s, with text in the order of code points', async (t) => {
  const server = await startPostgres(await options(t))
  const found =
    "select current_setting('server_version_num')::int / 10000 as major, upper('é') as upper, 'Z' < 'a' as ordered"
  t.same(await rows(server.url, found), [{ major: await majorVersion(), upper: 'É', ordered: true }])
  await server.stop()
})
