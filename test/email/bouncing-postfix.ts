import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, type Scope } from '../support/postgres.ts'

const run = promisify(execFile)

/** What each domain's mailboxes do after Postfix has taken a mail: the exit code and words of a program that it is piped to. */
const mailboxes = {
  'gone.example': { exit: 67, says: '5.1.1 There is nobody of that name' },
  'full.example': { exit: 73, says: '5.2.2 The mailbox is full' },
}

/** Starts a Postfix on loopback that takes mail for these domains, and hands its reports to `reportsTo`; returns its port. */
export async function bouncingPostfix(t: Scope, reportsTo: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-postfix-'))
  const port = await freePort()
  const etc = join(folder, 'etc')
  const postfix = (command: string) => run('/usr/sbin/postfix', ['-c', etc, command])
  await Promise.all(['etc', 'spool', 'data'].map((name) => mkdir(join(folder, name))))
  await chmod(folder, 0o755)
  await chown(join(folder, 'data'), await idOf('postfix'), 0)
  await writeFile(join(etc, 'main.cf'), mainCf(folder, reportsTo))
  await writeFile(join(etc, 'master.cf'), await masterCf(folder, port))
  for (const [domain, { exit, says }] of Object.entries(mailboxes)) {
    await writeFile(join(folder, domain), `#!/bin/sh\necho "${says}"\nexit ${exit}\n`, { mode: 0o755 })
  }
  await postfix('start')
  t.teardown(async () => {
    await postfix('stop')
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })
  return port
}

const idOf = async (user: string): Promise<number> => Number((await run('id', ['-u', user])).stdout)

const mainCf = (folder: string, reportsTo: number): string => `compatibility_level = 3.6
queue_directory = ${folder}/spool
data_directory = ${folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
maillog_file = ${folder}/maillog
maillog_file_prefixes = ${tmpdir()}
myhostname = mx.rcpt.example
mydestination =
alias_maps =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtp_dns_support_level = disabled
smtp_host_lookup = native
queue_run_delay = 1s
minimal_backoff_time = 1s
relay_domains = ${Object.keys(mailboxes).join(' ')}
transport_maps = inline:{${Object.keys(mailboxes)
  .map((domain) => `${domain}=${domain}:`)
  .join(', ')}, bounce.sender.example=smtp:[127.0.0.1]:${reportsTo}}
`

/** Debian's own services, none of them in a chroot, on our port, and a transport for each mailbox. */
async function masterCf(folder: string, port: number): Promise<string> {
  const lines = (await readFile('/usr/share/postfix/master.cf.dist', 'utf8')).split('\n')
  const services = lines.filter((line) => /^[a-z]/.test(line) && !/\bpipe$/.test(line)).map((line) => line.split(/\s+/))
  const ours = services.map(([name, type, private_, unprivileged, , ...rest]) =>
    [type === 'inet' ? `127.0.0.1:${port}` : name, type, private_, unprivileged, 'n', ...rest].join(' '),
  )
  const pipes = Object.keys(mailboxes).map(
    (domain) => `${domain} unix - n n - - pipe\n  user=nobody argv=${folder}/${domain}`,
  )
  return [...ours, ...pipes, ''].join('\n')
}
