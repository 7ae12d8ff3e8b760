import { generateKeyPairSync } from 'node:crypto'

export function buildHtml(bytes: number, seed: number): string {
  const row = (i: number) =>
    `<tr><td style="padding:8px;font-family:Arial,sans-serif;color:#333333">Zeile ${seed}-${i}: Grüße &amp; viele schöne Dinge für Sie</td></tr>`
  const rows = Array.from({ length: Math.ceil(bytes / row(0).length) }, (_, i) => row(i))
  const html = `<!doctype html><html><body><table>${rows.join('')}</table></body></html>`
  return html.slice(0, bytes)
}

export function createDomainKeys() {
  const pem = { type: 'pkcs8', format: 'pem' } as const
  return {
    rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem) as string,
    ed: generateKeyPairSync('ed25519').privateKey.export(pem) as string,
  }
}
