import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Scope } from '../postgres.ts'

export interface Certificate {
  cert: string
  key: string
  caFile: string
}

const names = ['IP:127.0.0.1', 'DNS:localhost', 'DNS:fcm.googleapis.com', 'DNS:oauth2.googleapis.com']

export async function makeCertificate(t: Scope): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-push-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const [caFile, keyFile] = [join(folder, 'ca.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=push servers', '-addext', `subjectAltName=${names}`, '-days', '2']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', keyFile, '-out', caFile])
  return { caFile, cert: await readFile(caFile, 'utf8'), key: await readFile(keyFile, 'utf8') }
}
