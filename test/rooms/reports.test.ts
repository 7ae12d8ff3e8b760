import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { z } from 'zod'
import { log } from '#lib/log.ts'
import { createKeyRedactor, readReports } from '../../workers/rooms/reports.ts'

const Report = z.object({ type: z.literal('running'), seconds: z.number() })

t.test('a program that says what is no report is killed, and its worker lives', async (t) => {
  for (const said of ['segmentation fault', '{"type":"running"', '{"type":"running","seconds":"1"}', 'null', '']) {
    const child = spawn('sh', ['-c', `echo '{"type":"running","seconds":1}'; echo '${said}'; exec sleep 60`])
    t.teardown(() => child.kill('SIGKILL'))
    const reports: unknown[] = []
    readReports(child, Report, (report) => reports.push(report))
    const [, signal] = await once(child, 'close')
    t.same([reports, signal], [[{ type: 'running', seconds: 1 }], 'SIGKILL'], said)
  }
})

t.test('what it says is not logged, and its end once', async (t) => {
  const logged = t.capture(log, 'error')
  const child = spawn('sh', ['-c', `echo live_key; echo live_key; exec sleep 60`])
  t.teardown(() => child.kill('SIGKILL'))
  readReports(child, Report, () => t.fail('it reported'))
  await once(child, 'close')
  t.match(
    logged().map(({ args }) => args[0]),
    [{ letters: 8, line: undefined }],
  )
  t.equal(createKeyRedactor('rtmp://127.0.0.1/live/live_key')('Refused by live_key.'), 'Refused by ….')
  t.equal(createKeyRedactor('')('Refused.'), 'Refused.')
})
