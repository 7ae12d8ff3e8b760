import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { z } from 'zod'
import { takeReports } from '../../workers/rooms/reports.ts'

const Report = z.object({ type: z.literal('running'), seconds: z.number() })

t.test('a program that says what is no report is killed, and its worker lives', async (t) => {
  for (const said of ['segmentation fault', '{"type":"running"', '{"type":"running","seconds":"1"}', 'null', '']) {
    const child = spawn('sh', ['-c', `echo '{"type":"running","seconds":1}'; echo '${said}'; exec sleep 60`])
    t.teardown(() => child.kill('SIGKILL'))
    const reports: unknown[] = []
    takeReports(child, Report, (report) => reports.push(report))
    const [, signal] = await once(child, 'close')
    t.same([reports, signal], [[{ type: 'running', seconds: 1 }], 'SIGKILL'], said)
  }
})
