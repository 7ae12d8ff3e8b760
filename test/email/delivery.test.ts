import t from 'tap'
import { startSink } from '../support/mail-sink.ts'
import { mailStack } from '../support/mail-stack.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort } from '../support/postgres.ts'

t.test('mail reaches the MX of its recipient, from the address of its pool', async (t) => {
  const port = await freePort()
  const stack = await mailStack(t)
  const sink = await startSink(t, '127.0.0.20', port)
  const nsd = await startNsd(t, { 'rcpt.example': 'ok IN MX 10 mx.ok\nmx.ok IN A 127.0.0.20' })
  await stack.startWorkers({
    DNS_RESOLVERS: nsd.dns,
    MAIL_MX_PORT: String(port),
    MAIL_MX_ALLOWED: '127.0.0.0/8',
    MAIL_TRANSACTIONAL_ADDRESSES: '127.0.0.30=mta1.platform.example',
    MAIL_CAMPAIGN_ADDRESSES: '127.0.0.31=mta2.platform.example',
  })
  const [id = ''] = await stack.send({ to: 'ada@ok.rcpt.example' })
  const mail = await sink.mailTo('ada@ok.rcpt.example')
  console.log(mail.raw.toString(), mail)
  await stack.becomes(id, 'delivered')
  console.log(JSON.stringify(await stack.attempts(id), null, 1))
})
