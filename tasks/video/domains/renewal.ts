const day = 86_400_000

/** Days before its end that a certificate is renewed; of a short-lived one, the last third of its life. */
const leadDays = 30

/** When a certificate is to be renewed: up to a tenth of the lead earlier by chance, so that many do not come at once. */
export function renewalOf(from: Date, to: Date, chance: number = Math.random()): Date {
  const lead = Math.min(leadDays * day, (to.getTime() - from.getTime()) / 3)
  return new Date(to.getTime() - lead * (1 + chance / 10))
}
