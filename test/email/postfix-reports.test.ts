import { existsSync } from 'node:fs'
import nodemailer from 'nodemailer'
import t from 'tap'
import { withoutPostfix } from '../support/postfix.ts'
import { until } from '../support/until.ts'
import { bouncingPostfix } from './bouncing-postfix.ts'
import { inboundStack } from './inbound-fixture.ts'

t.setTimeout(240_000)
const skip = existsSync('/usr/sbin/postfix') ? withoutPostfix : 'no postfix: apt-get install postfix'

t.test('reports that a Postfix makes of mail it has taken do what they say', { skip }, async (t) => {
  const stack = await inboundStack(t)
  const port = await bouncingPostfix(t, stack.port)
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true })
  t.teardown(() => transport.close())
  const handOver = async (to: string, ret: 'HDRS' | 'FULL') => {
    const sent = await stack.message({ to })
    const message = {
      from: 'news@sender.example',
      to,
      subject: 'News',
      text: 'Hello',
      messageId: `<${sent.messageId}>`,
    }
    const dsn = { id: sent.id, return: ret, notify: ['failure'] as const, recipient: to }
    await transport.sendMail({ ...message, envelope: { from: sent.verp, to }, dsn: dsn as never })
    return sent
  }
  const [gone, full] = await Promise.all([
    handOver('nobody@gone.example', 'HDRS'),
    handOver('ada@full.example', 'FULL'),
  ])
  const noted = (id: string) =>
    until(async () => (await stack.noted(id))[0], { timeout: 30_000, what: 'a report comes' })
  t.equal(await noted(gone.id), 'bounce')
  t.match(await stack.read(gone.id), {
    status: 'bounced',
    reply_class: 'invalid_recipient',
    reason: /nobody of that name/,
  })
  t.match(await stack.suppressed(gone.to), [{ reason: 'bounce' }])
  t.equal(await noted(full.id), 'bounce')
  t.match(await stack.read(full.id), { status: 'bounced', reply_class: 'mailbox_full' })
  t.same(await stack.suppressed(full.to), [])
})
