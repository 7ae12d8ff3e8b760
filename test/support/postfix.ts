import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ParsedMail, simpleParser } from 'mailparser'
import { freePort, type Scope } from './postgres.ts'
import { until } from './until.ts'

export interface Postfix {
  /** Its port on 127.0.0.1. */
  port: number
  /** Returns its complete log. */
  log(): Promise<string>
  /** Returns the messages of a mailbox by local part, oldest first. */
  mailbox(name: string): Promise<ReceivedMail[]>
}

export interface ReceivedMail {
  source: Buffer
  parsed: ParsedMail
}

/** Options of a server. */
export interface PostfixOptions {
  domain: string
  mailboxes: readonly string[]
  /** Local parts whose email is accepted and then bounced as unknown. */
  bouncing?: readonly string[]
  /** RCPT responses by local part: `450 4.2.0 Greylisted`. */
  replies?: Readonly<Record<string, string>>
  /** Targets for other domains: `address:port`. */
  routes?: Readonly<Record<string, string>>
  dns: string
  /** Server to which email for all other domains goes, with STARTTLS and a sign-in. Clients on 127.0.0.1 may use it. */
  relay?: { port: number; user: string; password: string; caFile: string }
}

const services = `
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
virtual unix - n n - - virtual
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`

/** Reason why Postfix cannot run here, or `false` if it can. */
export const withoutPostfix = process.getuid?.() === 0 ? false : 'Postfix must be started by root'

/** Starts Postfix and OpenDKIM until the test ends. Requires root, like Postfix. */
export async function startPostfix(t: Scope, options: PostfixOptions): Promise<Postfix> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-postfix-'))
  await chmod(folder, 0o755)
  const [port, socket] = [await freePort(), join(folder, 'dkim.sock')]
  const [etc, queue, data, mail] = ['etc', 'queue', 'data', 'mail'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ]
  for (const each of [etc, queue, data, mail]) await mkdir(each)
  await chown(data, idOf('postfix'), 0)
  await chown(mail, idOf('nobody'), 0)
  const log = join(folder, 'maillog')
  await writeFile(join(etc, 'main.cf'), mainConfig(options, { queue, data, mail, socket, log }))
  // EX_NOUSER of sysexits(3): a bounce with 5.1.1 after the message was accepted.
  await writeFile(join(folder, 'nouser'), '#!/bin/sh\ncat >/dev/null\nexit 67\n', { mode: 0o755 })
  const nouser = `nouser unix - n n - - pipe user=nobody argv=${folder}/nouser\n`
  await writeFile(join(etc, 'master.cf'), `${port} inet n - n - - smtpd${services}${nouser}`)
  await writeFile(join(folder, 'unbound.conf'), unboundConfig(options.dns))
  await writeFile(join(folder, 'opendkim.conf'), dkimConfig(folder, socket))

  let said = ''
  const run = (program: string, args: string[]): ChildProcess => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
    return child
  }
  const opendkim = run('/usr/sbin/opendkim', ['-f', '-x', join(folder, 'opendkim.conf')])
  const postfix = run('/usr/sbin/postfix', ['-c', etc, 'start-fg'])
  const ended = Promise.all([once(opendkim, 'exit'), once(postfix, 'exit')])
  t.teardown(async () => {
    opendkim.kill('SIGTERM')
    run('/usr/sbin/postfix', ['-c', etc, 'stop'])
    await ended
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })
  await until(async () => (await readdir(folder)).includes('dkim.sock') && (await greets(port)), {
    timeout: 30_000,
    what: 'Postfix listens',
  }).catch((error) => {
    throw new Error(`Postfix does not come up: ${said}`, { cause: error })
  })
  return {
    port,
    log: () => readFile(log, 'utf8'),
    async mailbox(name) {
      const dir = join(mail, name, 'new')
      const files = await readdir(dir).catch(() => [])
      const sources = await Promise.all(files.sort().map((file) => readFile(join(dir, file))))
      return await Promise.all(sources.map(async (source) => ({ source, parsed: await simpleParser(source) })))
    },
  }
}

interface Places {
  queue: string
  data: string
  mail: string
  socket: string
  log: string
}

function mainConfig(
  { domain, mailboxes, bouncing = [], replies = {}, routes = {}, relay }: PostfixOptions,
  places: Places,
): string {
  const boxes = [...mailboxes, ...bouncing].map((name) => `{${name}@${domain}=${name}/}`)
  const answers = Object.entries(replies).map(([name, reply]) => `{${name}@${domain}=${reply}}`)
  const transports = [
    ...bouncing.map((name) => `{${name}@${domain}=nouser:}`),
    ...Object.entries(routes).map(([to, at]) => `{${to}=smtp:[${at.split(':')[0]}]:${at.split(':')[1]}}`),
  ]
  return `compatibility_level = 3.6
queue_directory = ${places.queue}
data_directory = ${places.data}
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.${domain}
mydestination =
local_recipient_maps =
virtual_mailbox_domains = ${domain}
virtual_mailbox_base = ${places.mail}
virtual_mailbox_maps = inline:{${boxes.join(', ')}}
virtual_uid_maps = static:${idOf('nobody')}
virtual_gid_maps = static:${idOf('nobody')}
${transports.length > 0 ? `transport_maps = inline:{${transports.join(', ')}}` : ''}
${relay ? relayConfig(relay) : 'smtpd_relay_restrictions = reject_unauth_destination'}
${answers.length > 0 ? `smtpd_recipient_restrictions = check_recipient_access inline:{${answers.join(', ')}}` : ''}
smtpd_milters = unix:${places.socket}
milter_default_action = tempfail
maillog_file = ${places.log}
maillog_file_prefixes = ${tmpdir()}
`
}

/** RFC 4954 with the SASL library of Cyrus, as the manual of Postfix describes it for a relay host. */
const relayConfig = ({ port, user, password, caFile }: NonNullable<PostfixOptions['relay']>) => `
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject_unauth_destination
relayhost = [localhost]:${port}
smtp_sasl_auth_enable = yes
smtp_sasl_password_maps = inline:{{[localhost]:${port}=${user}:${password}}}
smtp_sasl_tls_security_options = noanonymous
smtp_tls_security_level = secure
smtp_tls_CAfile = ${caFile}
smtp_host_lookup = native
smtp_address_preference = ipv4
`

/** Debian’s OpenDKIM resolves names with libunbound. */
const unboundConfig = (dns: string) => `server:
  do-not-query-localhost: no
forward-zone:
  name: "."
  forward-addr: ${dns.replace(':', '@')}
`

const dkimConfig = (folder: string, socket: string) => `Mode v
Socket local:${socket}
UMask 000
Syslog no
AlwaysAddARHeader yes
AuthservID mx
ResolverConfiguration ${folder}/unbound.conf
PidFile ${folder}/opendkim.pid
`

const idOf = (user: string): number => Number(execFileSync('id', ['-u', user], { encoding: 'utf8' }))

async function greets(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const [greeting] = await once(socket, 'data')
  socket.end('QUIT\r\n')
  return String(greeting).startsWith('220')
}
