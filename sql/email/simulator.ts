import { config } from '#lib/config.ts'

/** The domain of the simulated receivers: mail to it is delivered to this installation itself, and is in no rate. */
export const simulatorDomain = (): string => `simulator.${config.MAIL_HOSTNAME}`

/** Whether an address, in its stored form, is one of a simulated receiver. */
export const isSimulated = (address: string): boolean => address.endsWith(`@${simulatorDomain()}`)

/** What the simulated receivers are called, and what comes of mail to each. */
export const simulated = ['delivered', 'bounced', 'complained', 'deferred'] as const

/** The simulated receiver that an address is for; `bounced+anything@…` is for `bounced`. */
export function simulatedReceiver(address: string): (typeof simulated)[number] | undefined {
  const [name] = address.split('@', 1)[0]?.split('+', 1) ?? []
  return simulated.find((one) => one === name)
}
