import type { Millrace } from '../../../sdk/node/src/index.ts'
import { createPresetLoader, imageLoader } from '../../../sdk/node/src/next-image.ts'

/** What a bike rental's server does by the SDK with the photos of rides. */
export class RidePhotos {
  readonly #client: Millrace

  constructor(client: Millrace) {
    this.#client = client
  }

  /** A photo that a rider has sent. Its page shows it to everyone. */
  async send(photo: Uint8Array<ArrayBuffer>, filename: string): Promise<string> {
    const facts = { product_key: 'bike-rental', tenant_id: 'riders', filename, content_type: 'image/jpeg' }
    const { object_id } = await this.#client.uploadFile(photo, facts)
    await this.#client.files.objects.update(object_id, { visibility: 'public' })
    return object_id
  }

  /** Size and placeholder of a photo, and its URLs for the widths of screens. */
  async show(id: string, widths: readonly number[]) {
    const [object, image] = await Promise.all([this.#client.files.objects.read(id), this.#client.files.images.read(id)])
    const src = object.url ?? ''
    return { ...image, src, sources: widths.map((width) => imageLoader({ src, width })) }
  }

  /** The two sizes that the pages use from now on, and no others. */
  async keepToPresets() {
    await this.#client.files.imagePresets.put('card', { width: 120, height: 120, fit: 'cover' })
    await this.#client.files.imagePresets.put('wide', { width: 300 })
    await this.#client.files.imageSettings.update({ only_presets: true })
    return createPresetLoader({ card: 120, wide: 300 })
  }

  /** A size that only a newsletter needs. */
  async forNewsletter(id: string): Promise<string> {
    return (await this.#client.files.images.createUrl(id, { width: 90, format: 'jpeg' })).url
  }

  async allowAllSizes(): Promise<void> {
    await this.#client.files.imageSettings.update({ only_presets: false })
    for (const name of ['card', 'wide']) await this.#client.files.imagePresets.remove(name)
  }
}
