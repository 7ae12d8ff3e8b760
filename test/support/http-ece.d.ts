declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  const ece: {
    decrypt(body: Buffer | undefined, keys: { version: 'aes128gcm'; privateKey: ECDH; authSecret: string }): Buffer
  }
  // biome-ignore lint/style/noDefaultExport: as the package is
  export default ece
}
