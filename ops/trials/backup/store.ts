import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Storage } from '#lib/storage/storage.ts'
import { startObjectStore } from '../../embedded/object-store/server.ts'
import { preferPort } from '../../start/ports.ts'
import { killWithParent, supervise } from '../../start/supervise.ts'
import { readShippedFile, replaceLines } from './files.ts'

const [objects, backups] = ['millrace', 'millrace-backup']

export interface Store {
  url: string
  tlsPort: number
  /** The certificate. It is self-signed, so it is also its own authority. */
  ca: string
  bucket: string
  accessKey: string
  secretKey: string
  storage: Storage
}

export async function startStore(folder: string, host: string, ends: AsyncDisposableStack): Promise<Store> {
  const keys = { accessKey: 'backup', secretKey: randomBytes(24).toString('hex') }
  const place = { host, port: 0, dir: join(folder, 'objects'), region: 'us-east-1', buckets: [objects, backups] }
  const store = await startObjectStore({ ...place, ...keys })
  ends.defer(() => store.close())
  const tlsPort = await preferPort(host, undefined)
  const tls = join(folder, 'tls')
  await mkdir(tls)
  const ca = await makeCertificate(tls)
  const conf = replaceLines(await readShippedFile('haproxy.cfg'), [
    ['127.0.0.1:8443', `${host}:${tlsPort}`],
    ['/etc/haproxy/store.pem', join(tls, 'both.pem')],
    ['127.0.0.1:8081', new URL(store.url).host],
  ])
  await writeFile(join(tls, 'haproxy.cfg'), conf)
  const proxy = supervise(
    {
      name: 'haproxy',
      command: () => killWithParent('haproxy', '-db', '-f', join(tls, 'haproxy.cfg')),
      ready: { check: async () => (await promisify(execFile)('curl', asked(tlsPort, ca)).catch(() => null)) !== null },
      stopSignal: 'SIGTERM',
      grace: 1_000,
      quiet: true,
    },
    join(folder, 'haproxy.log'),
  )
  ends.defer(() => proxy.stop())
  await proxy.ready
  const storage = new Storage({
    endpoint: store.url,
    publicEndpoint: store.url,
    region: place.region,
    bucket: objects,
    ...keys,
  })
  return { url: store.url, tlsPort, ca, bucket: backups, storage, ...keys }
}

const asked = (port: number, ca: string) => ['-sS', '-o', '/dev/null', '--cacert', ca, `https://localhost:${port}/`]

/** Creates a certificate for `localhost`. pgBackRest rejects a certificate that has only an IP address. */
async function makeCertificate(folder: string): Promise<string> {
  const [key, cert, both] = ['key.pem', 'cert.pem', 'both.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...name, '-days', '2', '-keyout', key, '-out', cert])
  await writeFile(both, `${await readFile(cert, 'utf8')}${await readFile(key, 'utf8')}`, { mode: 0o600 })
  await chmod(cert, 0o644)
  return cert
}
