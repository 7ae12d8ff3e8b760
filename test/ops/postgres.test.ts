import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { test } from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { startPostgres } from '../../ops/embedded/postgres.ts'
import { freePort } from '../support/postgres.ts'
import { options, rows } from './own-postgres.ts'

const embedded = new URL('../../ops/embedded/postgres.ts', import.meta.url).href

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

test('a server that runs in the folder is detected and left alone', async (t) => {
  const wanted = await options(t)
  const server = await startPostgres(wanted)
  const message = `Postgres (pid ${server.pid}, port ${wanted.port}) is already running in ${wanted.dir}.`
  await t.rejects(startPostgres({ ...wanted, port: await freePort() }), { message })
  t.same(await rows(server.url, 'select 1 as one'), [{ one: 1 }])
  await server.stop()
})

test('programs that are not there are named', async (t) => {
  const script = `
    const { startPostgres } = await import('${embedded}')
    await startPostgres(${JSON.stringify(await options(t))}).catch((error) => console.log(error.message))`
  const env = childEnvironment({ POSTGRES_BIN: '/no/such/folder' })
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })
  t.equal(stdout, 'No working Postgres at /no/such/folder/postgres. Fix: see POSTGRES_BIN.\n')
})
