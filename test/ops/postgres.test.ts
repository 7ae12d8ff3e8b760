import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Test, test } from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { startPostgres } from '../../ops/embedded/postgres.ts'
import { majorVersion } from '../../ops/embedded/postgres-folder.ts'
import { freePort } from '../support/postgres.ts'
import { dataFolder } from '../support/stack.ts'

const embedded = new URL('../../ops/embedded/postgres.ts', import.meta.url).href

/** A folder below one that only we may enter, as Postgres runs as another user when we are root. */
async function options(t: Test) {
  const dir = join(await dataFolder(t), 'postgres')
  return {
    dir,
    port: await freePort(),
    password: 'it’s a p@ss/word',
    settings: { fsync: 'off', shared_buffers: '16MB' },
  }
}

async function rows(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return (await client.query(text).finally(() => client.end())).rows
}

test('it keeps what was committed over a kill of its postmaster', async (t) => {
  const wanted = await options(t)
  const first = await startPostgres(wanted)
  await rows(first.url, 'create table kept as select 1 as one')
  process.kill(first.pid, 'SIGKILL')
  const second = await startPostgres(wanted)
  t.same(await rows(second.url, 'select one from kept'), [{ one: 1 }])
  await second.stop('smart')
})

test('only the holder of the password gets in, and over TCP only', async (t) => {
  const server = await startPostgres(await options(t))
  const url = new URL(server.url)
  url.password = 'wrong'
  await t.rejects(rows(url.href, 'select 1'), { code: '28P01' })
  t.match(await rows(server.url, 'show unix_socket_directories'), [{ unix_socket_directories: '' }])
  await server.stop()
})

test('a lock file that names a living process of another program does not stop it', async (t) => {
  const wanted = await options(t)
  await (await startPostgres(wanted)).stop('immediate')
  await writeFile(join(wanted.dir, 'postmaster.pid'), `${process.pid}\n${wanted.dir}\n1\n${wanted.port}\n\n\n\nready\n`)
  const server = await startPostgres(wanted)
  t.match(await readFile(join(wanted.dir, 'postmaster.pid'), 'utf8'), new RegExp(`^${server.pid}\n`))
  await server.stop()
})

test('a server that runs in the folder is detected and left alone', async (t) => {
  const wanted = await options(t)
  const server = await startPostgres(wanted)
  const message = `A Postgres (pid ${server.pid}, port ${wanted.port}) already runs in ${wanted.dir}.`
  await t.rejects(startPostgres({ ...wanted, port: await freePort() }), { message })
  t.same(await rows(server.url, 'select 1 as one'), [{ one: 1 }])
  await server.stop()
})

test('settings of the caller win, and a bad one fails the start', async (t) => {
  const wanted = await options(t)
  const server = await startPostgres({ ...wanted, settings: { ...wanted.settings, max_connections: '17' } })
  t.same(await rows(server.url, 'show max_connections'), [{ max_connections: '17' }])
  await server.stop()
  await t.rejects(startPostgres({ ...wanted, settings: { no_such_setting: '1' } }), /Postgres ended at its start/)
})

test('it is the Postgres that POSTGRES_BIN names, else the npm package’s, with text in the order of code points', async (t) => {
  const server = await startPostgres(await options(t))
  const found =
    "select current_setting('server_version_num')::int / 10000 as major, upper('é') as upper, 'Z' < 'a' as ordered"
  t.same(await rows(server.url, found), [{ major: await majorVersion(), upper: 'É', ordered: true }])
  await server.stop()
})

test('programs that are not there are named', async (t) => {
  const script = `
    const { startPostgres } = await import('${embedded}')
    await startPostgres(${JSON.stringify(await options(t))}).catch((error) => console.log(error.message))`
  const env = childEnvironment({ POSTGRES_BIN: '/no/such/folder' })
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })
  t.equal(stdout, 'There is no Postgres that runs at /no/such/folder/postgres; see POSTGRES_BIN.\n')
})
