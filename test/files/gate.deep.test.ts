import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { filesStack } from '../support/files-stack.ts'

t.setTimeout(240_000)
const stack = await filesStack(t)
await stack.startWorkers()

t.test('every one of ClamAV’s own test files is kept from being downloaded', async (t) => {
  const folder = '/usr/share/clamav-testfiles'
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('clam'))
  const files = await Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(folder, name)) })))
  const sent = await Promise.all(
    files.map(({ name, bytes }) => stack.send(bytes, { filename: name, content_type: 'application/octet-stream' })),
  )
  const verdicts = await Promise.all(
    sent.map(async ({ body }, i) => [files[i]?.name, (await stack.settled(body.object_id)).scan_status]),
  )
  t.strictSame(
    verdicts.filter(([, status]) => !['infected', 'suspicious', 'unscannable'].includes(status)),
    [],
  )
  if (files.length === 0) t.comment('clamav-testfiles is not installed')
})
