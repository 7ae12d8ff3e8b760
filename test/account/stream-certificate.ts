import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestScope } from '../support/ingress.ts'

/** Creates a certificate authority and a certificate for 127.0.0.1 with openssl. */
export async function makeCertificate(t: TestScope) {
  const dir = await mkdtemp(join(tmpdir(), 'millrace-syslog-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args, { cwd: dir })
  const newKey = ['-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
  const authority = ['-days', '2', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test authority']
  await openssl('req', '-x509', ...newKey, ...authority)
  await writeFile(join(dir, 'names'), 'subjectAltName=IP:127.0.0.1')
  await openssl('req', ...newKey, '-keyout', 'key.pem', '-out', 'csr.pem', '-subj', '/CN=syslog')
  const from = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
  await openssl('x509', '-req', '-in', 'csr.pem', ...from, '-out', 'cert.pem')
  const read = (name: string) => readFile(join(dir, name), 'utf8')
  return { dir, key: await read('key.pem'), cert: await read('cert.pem'), ca: await read('ca.pem') }
}
