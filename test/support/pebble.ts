import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { freePort, type Scope } from './postgres.ts'
import { until } from './until.ts'

export interface Pebble {
  directoryUrl: string
  /** `address:port` of the DNS server. By default, every name resolves to 127.0.0.1. */
  dns: string
  /** PEM file of the root certificate of the authority’s server. */
  caFile: string
  /** PEM file of this root’s key, for 127.0.0.1. */
  keyFile: string
  rootFile: string
  environment: Record<string, string>
  /** Changes the DNS server’s responses: `set-txt`, `clear-txt`, `add-a`, `set-servfail` and so on. */
  name(action: string, host: string, facts?: Record<string, unknown>): Promise<void>
}

export async function startPebble(t: Scope, httpPort: number): Promise<Pebble> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-pebble-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const [port, management, dnsPort, naming] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  const at = (number: number) => `127.0.0.1:${number}`
  const [caFile, keyFile, configFile, rootFile] = ['ca.pem', 'key.pem', 'config.json', 'root.pem'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string]
  const subject = ['-subj', '/CN=pebble', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', keyFile, '-out', caFile])
  const pebble = {
    listenAddress: at(port),
    managementListenAddress: at(management),
    certificate: caFile,
    privateKey: keyFile,
    httpPort,
    tlsPort: 1,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
  }
  await writeFile(configFile, JSON.stringify({ pebble }))
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv6', '']
  run(t, 'pebble-challtestsrv', ['-dns01', at(dnsPort), '-management', at(naming), ...off])
  run(t, 'pebble', ['-config', configFile, '-dnsserver', at(dnsPort)])

  const ca = await readFile(caFile)
  const read = async (url: string) => {
    const [answer] = await once(get(url, { ca }), 'response')
    return await text(answer)
  }
  const root = await until(() => read(`https://${at(management)}/roots/0`), { what: 'pebble answers' })
  await writeFile(rootFile, root)
  const name: Pebble['name'] = async (action, host, facts) => {
    const body = JSON.stringify({ host, ...facts })
    const answer = await fetch(`http://${at(naming)}/${action}`, { method: 'POST', body })
    if (!answer.ok) throw new Error(`${action}: ${answer.status}`)
  }
  await until(() => name('clear-txt', 'nothing.example.').then(() => true), { what: 'the DNS server answers' })
  const directoryUrl = `https://${at(port)}/dir`
  return {
    directoryUrl,
    dns: at(dnsPort),
    caFile,
    keyFile,
    rootFile,
    name,
    environment: {
      ACME_DIRECTORY_URL: directoryUrl,
      ACME_TERMS_AGREED: 'true',
      ACME_EMAIL: 'operator@example.com',
      ACME_CA_FILE: caFile,
      DNS_RESOLVERS: at(dnsPort),
    },
  }
}

function run(t: Scope, program: string, args: string[]): void {
  const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', PEBBLE_AUTHZREUSE: '0', ...process.env }
  const stdio = process.env.PEBBLE_LOG ? 'inherit' : 'ignore'
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...args], { env, stdio })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
}
