/** Object identifier of a public key on a curve in DER (1.2.840.10045.2.1). */
const curve = Buffer.from('2a8648ce3d0201', 'hex')

/** True if a stored text has the form of a sealed value, and no part of it is a private key in PEM or DER. */
export function isSealed(stored: string): boolean {
  const parts = [Buffer.from(stored), ...stored.split('.').map((part) => Buffer.from(part, 'base64url'))]
  const isLegible = parts.some((part) => ['PRIVATE KEY', 'MIGHAgEA', curve].some((text) => part.includes(text)))
  return /^1\.[\w-]{8}\./.test(stored) && !isLegible
}
