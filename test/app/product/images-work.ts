import type { Test } from 'tap'
import type { DevFacts } from '../../../ops/start/dev-facts.ts'
import { Millrace } from '../../../sdk/node/src/index.ts'
import { look, photo } from '../../files/images/pictures.ts'
import { until } from '../../support/until.ts'
import { RidePhotos } from './ride-photos.ts'

const browser = 'image/avif,image/webp,*/*'

/** The photos of the bike rental's rides. */
export async function imagesWork(
  t: Test,
  facts: Pick<DevFacts, 'base_url'> & { keys: Partial<Record<string, string>> },
): Promise<void> {
  const client = new Millrace({ baseUrl: facts.base_url, apiKey: facts.keys.millrace as string })
  const photos = new RidePhotos(client)
  const id = await photos.send(new Uint8Array(await photo(1_200, 800)), 'ride.jpg')
  await until(async () => (await client.files.objects.read(id)).scan_status === 'clean', { what: 'the photo is clean' })
  const { width, height, blurhash, src, sources } = await photos.show(id, [200, 400])
  t.same([width, height], [1_200, 800])
  t.match(blurhash, /^[\w#$%*+,.:;=?@[\]^{|}~-]{6,}$/)
  const sizeOf = async (url: string, accept = browser) => {
    const reply = await fetch(url, { headers: { accept } })
    const found = await look(Buffer.from(await reply.arrayBuffer()))
    return [found.type, found.width, found.height]
  }
  t.same(await Promise.all(sources.map((url) => sizeOf(url))), [
    ['avif', 200, 133],
    ['avif', 400, 267],
  ])
  const loader = await photos.keepToPresets()
  await until(async () => (await fetch(`${src}?w=777`)).status === 403, { what: 'other sizes are rejected' })
  t.same(await sizeOf(loader({ src, width: 100 })), ['avif', 120, 120])
  t.same(await sizeOf(loader({ src, width: 250 }), '*/*'), ['jpeg', 300, 200])
  t.same(await sizeOf(await photos.forNewsletter(id)), ['jpeg', 90, 60])
  await photos.allowAllSizes()
}
