import type { Millrace } from '../../../sdk/node/src/index.ts'

/** Somebody who rents bikes. */
export interface Rider {
  id: string
  email: string
  name: string
  city: string
  phone: string
}

const productKey = 'bike-rental'

/** What a bike rental's server does by the SDK: mail, campaigns, pushes, notifications and WhatsApp to its riders. */
export class BikeRental {
  readonly #client: Millrace
  readonly #from: string
  readonly #app: string
  readonly #segment: string
  /** The address that riders write to. */
  readonly inbox: string

  private constructor(client: Millrace, from: string, made: { app: string; segment: string; inbox: string }) {
    this.#client = client
    this.#from = from
    this.#app = made.app
    this.#segment = made.segment
    this.inbox = made.inbox
  }

  /** Sets up what all riders share: their app, those of Tallinn, an inbox, and what is told of a bike that is due. */
  static async open(client: Millrace, from: string, inbox: string): Promise<BikeRental> {
    const app = await client.push.createApp({ name: 'Bike rental' })
    const segment = await client.email.segments.create({
      name: 'Riders in Tallinn',
      match: 'all',
      conditions: [
        { field: 'tag', op: 'has', value: 'rider' },
        { field: 'attributes.city', op: 'eq', value: 'Tallinn' },
      ],
    })
    await client.email.inboundRoutes.create({ address: inbox })
    await client.notify.texts.put({
      type: 'bike.due',
      locale: 'en',
      title: 'Your bike is due, {{person.name}}',
      body: 'Please bring {{data.bike}} back by {{data.hour}}.',
    })
    await client.notify.workflows.put('bike-due', {
      name: 'A bike is due',
      product_key: productKey,
      type: 'bike.due',
      steps: [
        { type: 'channel', channel: 'in_app' },
        { type: 'channel', channel: 'push' },
        {
          type: 'channel',
          channel: 'email',
          conditions: [{ field: 'data.late', operator: 'equal_to', value: 'true' }],
        },
      ],
    })
    await client.notify.workflows.publish('bike-due')
    return new BikeRental(client, from, { app: app.id, segment: segment.id, inbox })
  }

  /** A rider who signs up: a contact, a person, and the browser that they came with, which was nobody's before. */
  async signUp(rider: Rider): Promise<void> {
    const { email, notify, push } = this.#client
    const browser = await push.registerInstallation({ app_id: this.#app, push_provider: 'sse', tags: ['web'] })
    await email.contacts.create({
      email: rider.email,
      name: rider.name,
      attributes: { city: rider.city },
      tags: ['rider'],
      consent_source: 'sign-up form',
    })
    await push.installations.claim(browser.id, { user_id: rider.id })
    await push.topics.subscribe(this.#app, 'tours', { user_ids: [rider.id] })
    await notify.people.put(rider.id, {
      name: rider.name,
      email: rider.email,
      phone: rider.phone,
      push: { app_id: this.#app },
    })
  }

  /** Bills of a day, in one request, each with its tag. */
  async bill(riders: readonly Rider[], day: string) {
    const messages = riders.map(({ id, email, name }) => ({
      stream: 'transactional' as const,
      from: { email: this.#from },
      to: email,
      subject: `Your ride of ${day}`,
      text: `Dear ${name}, thank you for riding.`,
      tags: [{ name: 'bill', value: day }],
      metadata: { rider: id },
    }))
    return await this.#client.email.messageBatches.create({ messages })
  }

  /** What became of the bills of a day, by recipient. */
  async bills(day: string): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for await (const { to, status } of this.#client.email.messages.list({ tag: `bill:${day}` })) found.set(to, status)
    return found
  }

  /** Tells riders in Tallinn of a tour by mail, and all who want to hear of tours by push. */
  async announce(tour: string) {
    const { email, push } = this.#client
    const campaign = await email.campaigns.create({
      name: tour,
      subject: `{{contact.name|"Rider"}}, join us: ${tour}`,
      html: `<p>Hello {{contact.name|"there"}}, it begins in {{contact.attributes.city}}.</p><p><a href="{{unsubscribe_url}}">No more mail</a></p>`,
      from_email: this.#from,
      segment_id: this.#segment,
      preheader: 'A Sunday on two wheels',
    })
    await email.campaigns.send(campaign.id)
    const message = await push.send({ app_id: this.#app, target: { type: 'topic', id: 'tours' }, title: tour })
    return { campaign: campaign.id, message: message.id }
  }

  /** Tells a rider that a bike is due; returns the event. */
  async remind(rider: Rider, bike: string, late: boolean): Promise<string> {
    const event = await this.#client.notify.events.create({
      product_key: productKey,
      type: 'bike.due',
      subject_user_id: rider.id,
      title: 'Your bike is due',
      data: { bike, hour: '18:00', late: String(late) },
    })
    return event.id
  }
}
