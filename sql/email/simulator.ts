import { config } from '#lib/config.ts'

/**
 * Returns the domain of the simulated recipients. Its messages are delivered within this installation and are not
 * counted in rates.
 */
export const simulatorDomain = (): string => `simulator.${config.MAIL_HOSTNAME}`

/** True if the address is a simulated recipient. The address must be in its stored form. */
export const isSimulated = (address: string): boolean => address.endsWith(`@${simulatorDomain()}`)

export const simulatedNames = ['delivered', 'bounced', 'complained', 'deferred'] as const

/** Returns the kind of simulated recipient. `bounced+anything@…` is `bounced`. */
export function simulatedReceiver(address: string): (typeof simulatedNames)[number] | undefined {
  const [name] = address.split('@', 1)[0]?.split('+', 1) ?? []
  return simulatedNames.find((one) => one === name)
}
