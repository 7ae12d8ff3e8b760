/** Uploads a video and waits until it is playable: `node video.mjs <file>`. */
import { setTimeout as pause } from 'node:timers/promises'
import { Millrace, UploadError } from 'millrace'
import { fileSource } from 'millrace/node'

const [path = ''] = process.argv.slice(2)
const client = new Millrace() // from MILLRACE_BASE_URL and MILLRACE_API_KEY
const onProgress = ({ bytesSent, bytes }) => console.log('sent', Math.floor((100 * bytesSent) / bytes), '%')

const source = await fileSource(path)
const { assetId } = await client.uploadVideo(source, { title: 'Example', onProgress }).catch((error) => {
  // Parts that storage already has are not sent again.
  if (error instanceof UploadError) return client.uploadVideo(source, { resume: error.uploadId, onProgress })
  throw error
})

let asset = await client.video.assets.read(assetId)
while (!asset.playable && asset.status !== 'failed') {
  await pause(1_000)
  asset = await client.video.assets.read(assetId)
}
if (asset.status === 'failed') throw new Error(asset.failure_summary ?? 'Processing failed.')
const { embedUrl } = await client.video.playbackSessions.mint(assetId, {})
console.log('plays at', embedUrl)
