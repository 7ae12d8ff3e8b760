/** `store`: runs the embedded object store as a separate server with S3_ACCESS_KEY and S3_SECRET_KEY. */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { config, requireVariable } from '#lib/config.ts'
import { writePrivate } from '../private-file.ts'

const data = resolve(config.MILLRACE_DATA)
const credentials = join(data, 'store-keys.json')
const lifecycle = fileURLToPath(new URL('./lifecycle.xml', import.meta.url))

await mkdir(data, { recursive: true })
await writePrivate(credentials, {
  access_key: requireVariable('S3_ACCESS_KEY'),
  secret_key: requireVariable('S3_SECRET_KEY'),
})
process.argv.push('--host', config.HOST, '--port', String(config.STORE_PORT), '--dir', join(data, 'objects'))
process.argv.push('--region', config.S3_REGION, '--bucket', config.S3_BUCKET)
process.argv.push('--credentials', credentials, '--lifecycle', lifecycle)
await import('../embedded/object-store/main.ts')
