import type { Row } from '../chaos/round.ts'
import { type RunSettings, run } from '../chaos/run.ts'
import { hostFaults } from './faults.ts'
import { hostGround } from './ground.ts'
import { createNetwork, hasClocks, whyNoHosts } from './hosts.ts'

/** Creates a host for each worker, causes each fault once, and removes the hosts. `only` selects faults. */
export async function runFleet(
  settings: Omit<RunSettings, 'rounds' | 'ground'>,
  only: readonly string[] = [],
  told: (row: Row) => void = () => {},
): Promise<Row[]> {
  const impossible = await whyNoHosts()
  if (impossible) throw new Error(impossible)
  await using ends = new AsyncDisposableStack()
  const network = await createNetwork(settings.workers, ends)
  const faults = hostFaults(network, await hasClocks())
  const unknown = only.filter((name) => !faults.some((fault) => fault.name === name))
  if (unknown.length > 0)
    throw new Error(
      `Unknown fault: ${unknown.join(', ')}. The faults are ${faults.map(({ name }) => name).join(', ')}.`,
    )
  const rounds = faults.filter(({ name }) => only.length === 0 || only.includes(name)).map((fault) => [fault])
  return await run({ ...settings, rounds, ground: hostGround(network) }, told)
}
