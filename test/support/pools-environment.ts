import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Data folder of a process that starts every pool. */
export const data = mkdtempSync(join(tmpdir(), 'millrace-pools-'))

// Programs that run as nobody have their folders in it.
chmodSync(data, 0o711)

/** Files that pools read at start. */
export const files = { root: join(data, 'root.pem'), certificate: join(data, 'certificate.pem') }

const key = join(data, 'key.pem')
const selfSigned = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost`

for (const file of Object.values(files))
  execFileSync('openssl', [...selfSigned.split(' '), '-keyout', key, '-out', file], { stdio: 'ignore' })

/** Returns a port below the system’s range for clients. */
function freePort(): number {
  for (;;) {
    const port = randomInt(18_000, 32_000)
    const server = createServer()
      .on('error', () => {})
      .listen(port)
    const isFree = server.listening
    server.close()
    if (isFree) return port
  }
}

export const ports = { rtmp: freePort(), rtmps: freePort(), origin: freePort(), rooms: freePort(), sip: freePort() }

// Import this first, because the configuration is read once.
Object.assign(process.env, {
  HOST: '127.0.0.1',
  MILLRACE_DATA: data,
  SIGNING_SECRET: 'a secret of the tests alone, not short',
  ACME_DIRECTORY_URL: 'https://127.0.0.1:9/directory',
  ACME_TERMS_AGREED: 'true',
  ACME_CA_FILE: files.root,
  CLAMD_SOCKET: join(data, 'clamd', 'clamd.sock'),
  LIVE_RTMP_PORT: String(ports.rtmp),
  LIVE_RTMPS_PORT: String(ports.rtmps),
  LIVE_ORIGIN_PORT: String(ports.origin),
  LIVE_TLS_CERT: files.certificate,
  LIVE_TLS_KEY: key,
  ROOMS_PORT: String(ports.rooms),
  SIP_HOST: '127.0.0.1',
  SIP_PORT: String(ports.sip),
  SIP_TRUNKS: 'any=sip:127.0.0.1:9',
})

/** Makes this process create its temporary folders in a separate folder. */
export function keepTemporaries(): string {
  const folder = join(data, 'tmp')
  mkdirSync(folder)
  process.env.TMPDIR = folder
  return folder
}
