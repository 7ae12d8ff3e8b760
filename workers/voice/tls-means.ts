import { readFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'
import { config } from '#lib/config.ts'
import type { TlsKeys } from './streams.ts'

export async function readTlsKeys(): Promise<TlsKeys & { port: number }> {
  const [cert, key, ca] = await Promise.all([config.SIP_TLS_CERT, config.SIP_TLS_KEY, config.SIP_TLS_CA].map(read))
  if ((cert === undefined) !== (key === undefined))
    throw new Error('SIP_TLS_CERT and SIP_TLS_KEY must be set together.')
  return { port: config.SIP_TLS_PORT, cert, key, ca: ca && `${rootCertificates.join('\n')}\n${ca}` }
}

const read = async (path: string | undefined) => (path === undefined ? undefined : await readFile(path, 'utf8'))
