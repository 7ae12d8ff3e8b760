import { Millrace } from 'millrace'
import { fileSource } from 'millrace/node'

const millrace = new Millrace()
const { id } = await millrace.push.createApp({ name: 'My site' })
const { key } = await millrace.push.publicKeys.create(id, { name: 'Pages', origins: [process.env.SITE_URL] })
const { assetId } = await millrace.uploadVideo(await fileSource(process.argv[2]), { title: 'My video' })
console.log(`PUSH_APP_ID=${id}\nPUSH_PUBLIC_KEY=${key}\nVIDEO_ID=${assetId}`)
