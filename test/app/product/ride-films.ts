import type { Millrace } from '../../../sdk/node/src/index.ts'

/** What a film says of a ride, and what is heard in it. */
export interface Ride {
  id: string
  title: string
  words: string
}

/** What a bike rental's server does by the SDK with films of rides, broadcasts of tours, and rooms in which riders meet a guide. */
export class RideFilms {
  readonly #client: Millrace
  /** The channel in the directory that all can find. */
  readonly channel: string

  private constructor(client: Millrace, channel: string) {
    this.#client = client
    this.channel = channel
  }

  /** Opens the channel under which the films are found. */
  static async open(client: Millrace, handle: string): Promise<RideFilms> {
    await client.directory.channels.create({ handle, name: 'Rides', language: 'en' })
    return new RideFilms(client, handle)
  }

  /** A film that a rider has sent. */
  async send(film: Uint8Array<ArrayBuffer>, ride: Ride): Promise<string> {
    return (await this.#client.uploadVideo(film, this.#facts(ride))).assetId
  }

  /** A film that lies elsewhere. */
  async fetch(url: string, ride: Ride): Promise<string> {
    return (await this.#client.video.imports.start({ url, ...this.#facts(ride) })).assetId
  }

  #facts({ id, title, words }: Ride) {
    const cues = `WEBVTT\n\n00:00.000 --> 00:02.000\n${words}\n`
    return {
      title,
      externalRef: id,
      metadata: { kind: 'ride' },
      captions: [{ language: 'en', text: cues, name: 'English', default: true }],
    }
  }

  /** The films that are ready, by their rides. */
  async ready(): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for await (const { id, externalRef, status } of this.#client.video.assets.list({ metadata: 'kind:ride' }))
      if (status === 'ready' && externalRef) found.set(externalRef, id)
    return found
  }

  /** Lets a rider watch for an hour, on one screen at a time. */
  async watch(film: string, rider: string) {
    return await this.#client.video.playbackSessions.mint(film, { viewerId: rider, maxConcurrent: 1 })
  }

  /** A rider has left: what they still watch ends. */
  async leave(rider: string): Promise<number> {
    return (await this.#client.video.playbackSessions.revokeViewer({ viewerId: rider })).revoked
  }

  /** Corrects what is read below a film. */
  async correct(film: string, text: string): Promise<void> {
    await this.#client.video.captions.put(film, 'en', { text, name: 'English', default: true })
  }

  /** Finds what is said in films: the film, and the second at which it is said. */
  async find(words: string): Promise<{ film: string; at: number }[]> {
    const { data } = await this.#client.video.transcripts.searchAll({ q: words })
    return data.flatMap(({ assetId, hits }) => hits.map(({ start }) => ({ film: assetId, at: start })))
  }

  /** What is said in a film, as its page shows it beside the player. */
  async words(film: string): Promise<string[]> {
    return (await this.#client.video.transcripts.read(film, 'en')).cues.map(({ text }) => text)
  }

  /** Asks for captions in each language that is spoken in rides and that the platform hears. */
  async transcribe(film: string, spoken: readonly string[]): Promise<string[]> {
    const { languages } = await this.#client.video.captionLanguages.list()
    const heard = spoken.filter((one) => languages.some(({ language }) => language === one))
    for (const language of heard) await this.#client.video.captions.create(film, { language })
    return heard
  }

  /** How often a film was played, where, and how far: for the page of the film's rider. */
  async audience(film: string) {
    const { totals, retention, countries, pages } = await this.#client.video.analytics.readAsset(film)
    return { ...totals, retention, countries, pages }
  }

  /** The figures of a film as a file for the rental's office. */
  async audienceFile(film: string): Promise<string> {
    return await this.#client.video.analytics.download({ assetId: film })
  }

  /** Shows films to everybody, in the channel and as a list in this order; returns the list's page. */
  async publish(films: readonly string[], title: string): Promise<string> {
    const { directory, video } = this.#client
    for (const film of films) {
      await directory.channelVideos.assign(this.channel, film)
      await directory.videos.describe(film, { description: 'Seen from the saddle.', tags: ['ride'] })
      await video.assets.setVisibility(film, { visibility: 'public' })
    }
    return (await directory.playlists.create({ title, visibility: 'public', videos: [...films] })).url
  }

  /** Prepares the broadcast of a tour, which goes on to another platform as well. */
  async announce(tour: string, elsewhere: { url: string; streamKey: string }) {
    const { live } = this.#client
    const { channelId, ingest } = await live.channels.create({ name: tour, dvrSeconds: 60, visibility: 'unlisted' })
    await live.restreams.create(channelId, { name: 'Elsewhere', ...elsewhere })
    return { channelId, ingest }
  }

  /** A room for a guide and riders; returns the token of each. */
  async meet(name: string, guide: string, rider: string) {
    const { rooms } = this.#client
    const { roomId } = await rooms.create({ name, chat: 'all' })
    const token = async (identity: string, role: 'host' | 'participant') =>
      (await rooms.tokens.issue(roomId, { identity, displayName: identity, role })).token
    return { roomId, guide: await token(guide, 'host'), rider: await token(rider, 'participant') }
  }
}
