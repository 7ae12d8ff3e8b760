import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { keys, startFixture } from './fixture.ts'

const store = await startFixture(t)
const run = promisify(execFile)
const host = `127.0.0.1:${store.port}`
const work = t.testdirName
const keyNames = ['plain.bin', 'with space and + sign.bin', 'größe/ü.bin']

async function missing(program: string): Promise<string | false> {
  return run(program, ['--version']).then(
    () => false,
    () => `${program} is not installed`,
  )
}

t.test('s3cmd works unchanged', { skip: await missing('s3cmd') }, async (t) => {
  const config = join(work, 's3cfg')
  const lines = {
    access_key: keys.accessKey,
    secret_key: keys.secretKey,
    host_base: host,
    host_bucket: host,
    bucket_location: 'eu-test-1',
    use_https: 'False',
    multipart_chunk_size_mb: '5',
  }
  await writeFile(
    config,
    `[default]\n${Object.entries(lines)
      .map((pair) => pair.join(' = '))
      .join('\n')}\n`,
  )
  const s3cmd = async (...args: string[]) => {
    const { stdout } = await run('s3cmd', ['-c', config, '--no-progress', ...args], {
      env: { LC_ALL: 'C.UTF-8', PATH: '/usr/bin:/bin' },
    })
    return stdout
  }
  const [small, large, back] = ['small', 'large', 'back'].map((name) => join(work, name)) as [string, string, string]
  await writeFile(small, randomBytes(10_000))
  await writeFile(large, randomBytes((18 << 20) + 5))

  t.match(await s3cmd('ls'), 's3://media')
  for (const name of keyNames) {
    await s3cmd('put', small, `s3://media/${name}`)
    await s3cmd('get', '--force', `s3://media/${name}`, back)
    t.ok((await readFile(back)).equals(await readFile(small)), `${name} comes back`)
  }
  const listed = await s3cmd('ls', '--recursive', 's3://media')
  for (const name of keyNames) t.match(listed, `s3://media/${name}\n`)
  await s3cmd('put', large, 's3://media/large')
  t.match(await s3cmd('ls', 's3://media/large'), `${(18 << 20) + 5}`)
  await s3cmd('get', '--force', 's3://media/large', back)
  t.ok((await readFile(back)).equals(await readFile(large)), 'four parts come back as one')
  await s3cmd('cp', 's3://media/large', 's3://other/copy')
  t.match(await s3cmd('ls', 's3://other/copy'), `${(18 << 20) + 5}`)
  await s3cmd('del', ...keyNames.map((name) => `s3://media/${name}`), 's3://media/large')
  t.equal(await s3cmd('ls', '--recursive', 's3://media'), '')
})

t.test('curl works unchanged', { skip: await missing('curl') }, async (t) => {
  const curl = async (path: string, ...args: string[]) => {
    const own = [
      '-sS',
      '--path-as-is',
      '--aws-sigv4',
      'aws:amz:eu-test-1:s3',
      '--user',
      `${keys.accessKey}:${keys.secretKey}`,
    ]
    const { stdout } = await run('curl', [...own, '-w', '%{stderr}%{http_code}', ...args, `${store.url}${path}`])
    return stdout
  }
  const file = join(work, 'curl')
  await writeFile(file, randomBytes(3 << 20))
  for (const path of ['/media/plain', '/media/a%20b%2Bc', '/media/../../x', '/media/..%2f..%2fy']) {
    await curl(path, '-f', '-T', file, '-H', 'x-amz-content-sha256: UNSIGNED-PAYLOAD')
    await curl(path, '-f', '-o', `${file}.back`)
    t.ok((await readFile(`${file}.back`)).equals(await readFile(file)), `${path} comes back`)
  }
  const listed = await curl('/media?list-type=2')
  for (const key of ['plain', 'a b+c', '../../x', '../../y']) t.match(listed, `<Key>${key}</Key>`)
  await curl('/media/plain', '-f', '-X', 'DELETE')
  t.match(await curl('/media/plain'), '<Code>NoSuchKey</Code>')
  t.match(
    await curl('/media/x', '-T', file, '-H', 'x-amz-content-sha256: UNSIGNED-PAYLOAD', '--user', 'other:key'),
    'InvalidAccessKeyId',
  )
})
