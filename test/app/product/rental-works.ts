import type { Test } from 'tap'
import type { DevFacts } from '../../../ops/start/dev-facts.ts'
import { Millrace } from '../../../sdk/node/src/index.ts'
import { until } from '../../support/until.ts'
import { BikeRental, type Rider } from './bike-rental.ts'

const riders: readonly Rider[] = ['Ann', 'Bob', 'Cat'].map((name, i) => ({
  id: `rider-${i}`,
  email: `${name.toLowerCase()}@rcpt.example`,
  name,
  city: i < 2 ? 'Tallinn' : 'Tartu',
  phone: `+372555012${i}`,
}))

/** The bike rental runs on what `npm start` has brought up: each thing that it does comes to its end. */
export async function rentalWorks(t: Test, facts: DevFacts): Promise<void> {
  const client = new Millrace({ baseUrl: facts.base_url, apiKey: facts.keys.millrace as string })
  const rental = await BikeRental.open(client, 'rides@dev.example', 'help@dev.example')
  for (const rider of riders) await rental.signUp(rider)

  t.match(await rental.bill(riders, 'monday'), { accepted: 3, refused: 0 })
  const delivered = async () => {
    const found = [...(await rental.bills('monday')).values()]
    return found.length === 3 && found.every((status) => status === 'delivered')
  }
  await until(delivered, { what: 'each bill is delivered' })

  const { campaign, message } = await rental.announce('Tour of the coast')
  const sent = await until(
    async () => {
      const found = await client.email.campaigns.read(campaign)
      return found.ended_at !== null && found
    },
    { what: 'the campaign has ended' },
  )
  t.match(sent, { recipients: 2, by_status: { delivered: 2 } })
  await until(async () => (await client.push.getMessage(message)).counts.devices === 3, { what: 'the tour is pushed' })

  const [ann] = riders as [Rider]
  await rental.remind(ann, 'number 7', true)
  const run = await until(
    async () => {
      const { data } = await client.notify.runs.list({ user_id: ann.id })
      return data[0]?.state === 'completed' && (await client.notify.runs.read(data[0].id))
    },
    { what: 'the workflow is done' },
  )
  t.equal(run.steps.length, 3)
  const { data } = await client.notify.inbox.list({ user_id: ann.id })
  t.match(data[0], { title: 'Your bike is due, Ann', read_at: null })
}
