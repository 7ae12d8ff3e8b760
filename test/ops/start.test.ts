import { once } from 'node:events'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join, relative } from 'node:path'
import { GetBucketLifecycleConfigurationCommand, S3Client } from '@aws-sdk/client-s3'
import { test } from 'tap'
import { childEnvironment } from '#lib/config.ts'
import type { DevFacts } from '../../ops/start/dev-facts.ts'
import { program, runLine } from '../support/millrace.ts'
import { freePort } from '../support/postgres.ts'
import { isWhole, sample } from '../support/sample.ts'
import { dataFolder, lasting, processesOn, Stack } from '../support/stack.ts'

test('a fresh folder comes up ready, stops cleanly, and comes up as it was', async (t) => {
  const data = await dataFolder(t)
  const port = await freePort()
  const stack = new Stack(data, port)
  const facts = await stack.ready()

  t.equal(facts.base_url, `http://127.0.0.1:${port}`)
  t.equal((await fetch(`${facts.base_url}/readyz`)).status, 200, 'the ingress finds all it needs')
  const asked = await fetch(`${facts.base_url}/v1/stream/assets`, {
    headers: { authorization: `Bearer ${facts.keys.stream}` },
  })
  t.notOk([401, 403].includes(asked.status), 'its key is known')
  t.match(stack.output, facts.keys.stream ?? 'a key')
  const waits = [
    'starting postgres',
    'updating the database',
    'starting object-store',
    'loading ingress, loading workers',
  ]
  for (const wait of waits) t.match(stack.output.split(' ready after ')[0], wait, 'it says what it waits for')
  const domains = await fetch(`${facts.base_url}/send/v1/domains`, {
    headers: { authorization: `Bearer ${facts.keys.send}` },
  })
  t.match(await domains.json(), { data: [{ domain: 'dev.example', status: 'verified' }] }, 'mail can be sent')
  t.match(await (await fetch(`${facts.mail_url}/messages.json`)).json(), { messages: [] })
  const texts = await fetch(`${facts.base_url}/v1/sms/providers`, {
    headers: { authorization: `Bearer ${facts.keys.millrace}` },
  })
  t.match(await texts.json(), { data: [{ name: 'Sandbox', default: true }] }, 'text messages go to the sandbox')
  t.ok(await isOpen(facts.ports.mail_inbound), 'bounces are taken')
  for (const file of ['dev.json', 'secrets.json']) {
    t.equal((await stat(join(data, file))).mode & 0o777, 0o600, `only its owner may read ${file}`)
  }
  t.match(await rulesOf(facts.s3), [
    { Filter: { Prefix: 'incoming/' }, Expiration: { Days: 2 } },
    { Filter: { Prefix: '' }, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 } },
  ])

  t.test('a second start in the folder is refused and says where the first one is', async (t) => {
    const second = new Stack(data, await freePort())
    t.same(await second.ended(), [1, null])
    t.match(second.output, new RegExp(`already running in ${data}: pid ${stack.process.pid}, .*${facts.base_url}`))
  })

  t.test('the command line works from any folder, and shows how the stack that runs is configured', async (t) => {
    const elsewhere = t.testdir({
      bin: { millrace: t.fixture('symlink', '../lib/millrace/ops/millrace') },
      lib: { millrace: t.fixture('symlink', join(program, '../..')) },
      fresh: { ops: { millrace: await readFile(program) } },
    })
    const say = (line: string, environment: Record<string, string>, path = join(elsewhere, 'bin/millrace')) =>
      runLine(path, line, childEnvironment(environment), elsewhere)
    const environments = [
      { MILLRACE_DATA: relative(elsewhere, data) },
      { MILLRACE_DATA: data },
      { DATABASE_URL: facts.database_url },
    ] as Record<string, string>[]
    for (const environment of sample(environments, 3))
      t.match(await say('queue', environment), { code: 0, out: /media-intake/ })
    const { MILLRACE_DATA: _, ...bareEnvironment } = childEnvironment({})
    const { out: own } = await runLine(program, 'config', bareEnvironment, elsewhere)
    t.match(own, ` in ${join(program, '../../.data')}`, 'without a variable, the stack of the checkout is meant')
    t.match(await say('queue', { MILLRACE_DATA: elsewhere }, program), { code: 1, err: `started in ${elsewhere}` })

    const { out } = await say('config --json', { MILLRACE_DATA: data, LOG_LEVEL: 'error' })
    const of = (name: string) => JSON.parse(out).find((each: { name: string }) => each.name === name)
    t.match(of('PORT'), { value: port, from: 'stack', set: false })
    t.match(of('PUBLIC_URL'), { value: facts.base_url, from: 'stack' })
    t.match(of('DATABASE_URL').value, `:[masked]@127.0.0.1:${facts.ports.postgres}/millrace`)
    t.match(of('S3_ENDPOINT').value, facts.s3.endpoint)
    t.match(of('S3_SECRET_KEY').value, '[masked]')
    t.match(of('METRICS_PORT').value, String(facts.ports.workers_metrics))
    t.match(of('LOG_LEVEL'), { value: 'error', from: 'environment' })
    t.match(of('S3_REGION'), { value: 'us-east-1', from: 'default' })
    for (const secret of [facts.s3.secret_key, new URL(facts.database_url).password]) {
      t.notMatch(out, secret)
      t.notMatch(await readFile(join(data, 'running.json'), 'utf8'), secret)
    }
    if (isWhole)
      t.match((await say('config', { MILLRACE_DATA: data })).out, `Running stack in ${data} (pid ${stack.process.pid})`)

    const bare = await runLine('/bin/sh', [join(elsewhere, 'fresh/ops/millrace')], childEnvironment({}))
    t.match(bare, { code: 1, err: /not installed\. Run `npm ci` in .*fresh/ })
  })

  t.test('SIGTERM stops all of it', async (t) => {
    t.same(await stack.stop('SIGTERM'), [0, null])
    t.same(await processesOn(data), [])
    t.notMatch(stack.output, /warning|error|ended|killed/, 'in order, so that no part misses another')
  })

  t.test('the next start has the same keys and ports, and Ctrl-C stops it as well', async (t) => {
    const next = new Stack(data, port)
    t.same(lasting(await next.ready()), lasting(facts))
    process.kill(-(next.process.pid as number), 'SIGINT')
    t.same(await next.ended(), [0, null])
    t.same(await processesOn(data), [])
    t.notMatch(next.output, /warning|error|ended|killed/)
  })
})

test('a taken port is named, with how to choose another', async (t) => {
  const data = await dataFolder(t)
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const stack = new Stack(data, port)
  t.same(await stack.ended(), [1, null])
  t.match(stack.output, `Port ${port} of 127.0.0.1 is in use`)
  t.match(stack.output, `PORT=${port + 1} MILLRACE_DATA=${data} npm start`)
  t.same(await processesOn(data), [])
  other.close()
})

test('a part that cannot start ends the start, with the reason and the place of its log', async (t) => {
  const data = await dataFolder(t)
  await mkdir(join(data, 'postgres'), { recursive: true })
  await writeFile(join(data, 'postgres/PG_VERSION'), '9.6\n')
  const stack = new Stack(data, await freePort())
  t.same(await stack.ended(), [1, null])
  t.match(stack.output, `postgres ended with status 2. Its log: ${join(data, 'logs/postgres.log')}`)
  t.same(await processesOn(data), [])
})

async function isOpen(port: number | undefined): Promise<boolean> {
  const socket = connect(port ?? 0, '127.0.0.1')
  const open = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return open
}

async function rulesOf({ endpoint, region, bucket, access_key, secret_key }: DevFacts['s3']) {
  const credentials = { accessKeyId: access_key, secretAccessKey: secret_key }
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials })
  const { Rules } = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }))
  client.destroy()
  return Rules
}
