import '../support/work-environment.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../support/until.ts'
import { makeCertificate } from './stream-certificate.ts'
import { streamStack } from './stream-stack.ts'

t.setTimeout(300_000)

t.test('rsyslog reads every record of a stream over TLS', async (t) => {
  const stack = await streamStack(t)
  await stack.startWorkers()
  const { dir, ca } = await makeCertificate(t)
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  free.close()
  await once(free, 'close')
  const at = (name: string) => join(dir, name)
  await writeFile(
    at('rsyslog.conf'),
    `global(maxMessageSize="64k" workDirectory="${dir}" defaultNetstreamDriver="gtls"
  defaultNetstreamDriverCAFile="${at('ca.pem')}" defaultNetstreamDriverCertFile="${at('cert.pem')}"
  defaultNetstreamDriverKeyFile="${at('key.pem')}")
module(load="imtcp" streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="anon")
input(type="imtcp" port="${port}" address="127.0.0.1")
template(name="parts" type="string"
  string="%syslogfacility%\\t%syslogseverity%\\t%hostname%\\t%app-name%\\t%msgid%\\t%structured-data%\\t%msg:::drop-last-lf%\\n")
action(type="omfile" file="${at('out.log')}" template="parts")\n`,
  )
  const child = spawn('rsyslogd', ['-n', '-f', at('rsyslog.conf'), '-i', at('rsyslog.pid')], { stdio: 'inherit' })
  t.teardown(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const syslog = { host: '127.0.0.1', port, ca_certificate: ca }
  const stream = await stack.create({ kind: 'syslog', sources: ['events'], batch_seconds: 1, syslog })
  await stack.emit(2_000)
  const { sent } = await stack.settled(stream.id, 'events')
  t.equal(sent, 2_000)
  const lines = async () => (await readFile(at('out.log'), 'utf8')).trimEnd().split('\n')
  const found = await until(async () => (await lines()).length >= 2_000 && (await lines()))
  const numbers = new Set<number>()
  for (const line of found) {
    const [facility, severity, host, app, id, data, message = ''] = line.split('\t')
    const record = JSON.parse(message)
    numbers.add(record.data.n)
    if (record.data.n > 0) continue
    t.match([facility, severity, host, app, id], ['13', '6', 'millrace', 'millrace', 'email.sent'])
    t.match(data, `[millrace@32473 id="${record.id}" source="events" organisation="${stack.org.id}"]`)
  }
  t.equal(numbers.size, 2_000)
})
