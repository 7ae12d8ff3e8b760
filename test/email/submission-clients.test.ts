import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import nodemailer from 'nodemailer'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { startNsd } from '../support/nsd.ts'
import { withoutPostfix as skip, startPostfix } from '../support/postfix.ts'
import { until } from '../support/until.ts'
import { submitting } from './submitting.ts'

const { db, shop, caFile, starttls, implicit } = await submitting(t)
const folder = await mkdtemp(join(tmpdir(), 'millrace-clients-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
const from = `orders@${shop.domain}`
const Row = z.object({ id: z.string(), to_email: z.string(), text: z.string().nullable(), html: z.string().nullable() })

/** The newest message with a subject, and its content. */
const stored = (subject: string) =>
  db.maybeOne(sql.type(Row.extend({ attachments: z.array(z.object({ filename: z.string(), content: z.string() })) }))`
    select m.id, m.to_email, c.text, c.html, c.attachments
    from email.messages as m join email.contents as c on c.id = m.content_id
    where m.org_id = ${shop.orgId} and m.subject = ${subject} order by m.id desc limit 1`)

async function run(program: string, args: string[], input = '') {
  const running = promisify(execFile)(program, args, { timeout: 60_000 })
  running.child.stdin?.end(input)
  return await running.then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code: Number(code), output: `${stdout}${stderr}` }),
  )
}

t.test('swaks sends by STARTTLS and by TLS, and shows a rejection', async (t) => {
  const swaks = (port: number, tls: string, more: string[] = []) =>
    run('swaks', [
      ...['--server', `127.0.0.1:${port}`, tls, '--tls-verify', '--tls-ca-path', caFile, '--auth', 'PLAIN'],
      ...['--auth-user', 'millrace', '--auth-password', shop.key, '--from', from, '--to', 'ann@rcpt.example'],
      ...['--header', `Subject: swaks ${tls}`, '--body', 'On its way.', ...more],
    ])
  for (const [port, tls] of [
    [starttls, '--tls'],
    [implicit, '--tls-on-connect'],
  ] as const) {
    const { code, output } = await swaks(port, tls)
    t.equal(code, 0, output)
    t.match(output, /250 Accepted as [0-9a-f-]{36}/)
    t.match(await stored(`swaks ${tls}`), { to_email: 'ann@rcpt.example', text: /On its way\./ })
  }
  const wrong = await swaks(starttls, '--tls', ['--auth-password', 'snd_live_wrong'])
  t.match(wrong, { code: 28, output: /535/ })
  const other = await swaks(starttls, '--tls', ['--from', 'a@unverified.example', '--h-From', 'a@unverified.example'])
  t.match(other, { code: 26, output: /550 .*verif/ })
})

t.test('msmtp sends what a program gives it, as sendmail does', async (t) => {
  const config = join(folder, 'msmtprc')
  await writeFile(
    config,
    `account shop\nhost localhost\nport ${starttls}\ntls on\ntls_starttls on\ntls_trust_file ${caFile}\nauth plain\nuser millrace\npassword ${shop.key}\nfrom ${from}\naccount default : shop\n`,
    { mode: 0o600 },
  )
  const mail = (sender: string) =>
    `From: ${sender}\nTo: ann@rcpt.example\nSubject: msmtp\n\nFrom a cron job.\n.a line with a dot\n`
  t.match(await run('msmtp', ['-C', config, '-t'], mail(from)), { code: 0 })
  t.match(await stored('msmtp'), { text: /From a cron job\.\r?\n\.a line with a dot/ })
  const refused = await run('msmtp', ['-C', config, '-t'], mail('a@unverified.example'))
  t.match(refused.output, /verif/)
  t.not(refused.code, 0)
})

t.test("Django's mailer sends text, HTML and files, and raises what the API says", async (t) => {
  const script = `
import base64, os, sys
import django
from django.conf import settings
port, key, sender, ca = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
os.environ['SSL_CERT_FILE'] = ca
settings.configure(EMAIL_BACKEND='django.core.mail.backends.smtp.EmailBackend', EMAIL_HOST='localhost', EMAIL_PORT=port,
  EMAIL_HOST_USER='millrace', EMAIL_HOST_PASSWORD=key, EMAIL_USE_TLS=True, EMAIL_TIMEOUT=30)
from django.core.mail import EmailMultiAlternatives, get_connection, send_mail
import smtplib
mail = EmailMultiAlternatives('Django Grüße', 'Text', sender, ['ann@rcpt.example'], cc=['bob@rcpt.example'])
mail.attach_alternative('<p>HTML</p>', 'text/html')
mail.attach('bill.pdf', b'%PDF-1.4', 'application/pdf')
with get_connection() as connection:
  print(connection.send_messages([mail, mail.__class__('Django second', 'x', sender, ['cid@rcpt.example'])]))
try:
  send_mail('Django third', 'x', 'a@unverified.example', ['ann@rcpt.example'])
except smtplib.SMTPDataError as error:
  print(error.smtp_code, error.smtp_error.decode())`
  const { code, output } = await run('/usr/bin/python3', ['-c', script, String(starttls), shop.key, from, caFile])
  t.equal(code, 0, output)
  t.match(output, /^2\n550 .*verif/)
  t.match(await stored('Django Grüße'), {
    text: /^Text/,
    html: /<p>HTML<\/p>/,
    attachments: [{ filename: 'bill.pdf', content: 'JVBERi0xLjQ=' }],
  })
  t.ok(await stored('Django second'))
  t.notOk(await stored('Django third'))
})

t.test('PHPMailer sends by both ports', async (t) => {
  const script = `
foreach (['Exception', 'SMTP', 'PHPMailer'] as $name) require "/usr/share/php/libphp-phpmailer/src/$name.php";
[, $port, $key, $from, $ca, $mode] = $argv;
$mail = new PHPMailer\\PHPMailer\\PHPMailer(true);
$mail->isSMTP(); $mail->Host = 'localhost'; $mail->Port = (int) $port; $mail->SMTPAuth = true;
$mail->Username = 'millrace'; $mail->Password = $key; $mail->SMTPSecure = $mode; $mail->CharSet = 'UTF-8';
$mail->SMTPOptions = ['ssl' => ['cafile' => $ca]];
$mail->setFrom($from, 'Shop Müller'); $mail->addAddress('ann@rcpt.example', 'Ann');
$mail->Subject = "PHPMailer $mode"; $mail->isHTML(true); $mail->Body = '<p>Grüße</p>'; $mail->AltBody = 'Grüße';
$mail->addStringAttachment('%PDF-1.4', 'bill.pdf'); $mail->addCustomHeader('X-Tag', 'kind:order');
$mail->send();
$mail->setFrom('a@unverified.example');
try { $mail->send(); } catch (Exception $error) {
  echo $error->getMessage(), json_encode($mail->getSMTPInstance()->getError());
}`
  for (const [port, mode] of [
    [starttls, 'tls'],
    [implicit, 'ssl'],
  ] as const) {
    const { code, output } = await run('php', ['-r', script, '--', String(port), shop.key, from, caFile, mode])
    t.equal(code, 0, output)
    t.match(output, /data not accepted.*verif/)
    t.match(await stored(`PHPMailer ${mode}`), {
      text: /^Grüße/,
      html: /<p>Grüße<\/p>/,
      attachments: [{ filename: 'bill.pdf', content: 'JVBERi0xLjQ=' }],
    })
  }
})

t.test('Postfix relays to Millrace, and bounces what Millrace rejects', { skip }, async (t) => {
  const nsd = await startNsd(t, { 'local.example': '' })
  const relay = { port: starttls, user: 'millrace', password: shop.key, caFile }
  const postfix = await startPostfix(t, { domain: 'local.example', mailboxes: ['root'], dns: nsd.dns, relay })
  const local = nodemailer.createTransport({ host: '127.0.0.1', port: postfix.port, ignoreTLS: true })
  const letter = { to: 'ann@rcpt.example', text: 'From a server.' }
  await local.sendMail({ ...letter, from, subject: 'Postfix' })
  await until(() => stored('Postfix'), { what: 'Postfix relays', timeout: 30_000 })
  const accepted = async () => /status=sent \(250 Accepted as/.test(await postfix.log())
  await until(accepted, { what: 'the log of Postfix has the reply', timeout: 30_000 })
  await local.sendMail({
    ...letter,
    from: 'root@unverified.example',
    envelope: { from: 'root@local.example', to: letter.to },
    subject: 'refused',
  })
  const [bounce] = await until(
    async () => {
      const mails = await postfix.mailbox('root')
      return mails.length > 0 ? mails : undefined
    },
    { what: 'the bounce', timeout: 30_000 },
  )
  t.match(String(bounce?.source), /550.*verif/s)
})
