import { eventually, type Fault, nextAccepted } from '../fault.ts'

export const ingressKilled: Fault = {
  name: 'ingress-killed',
  what: 'kill -9 of the ingress, twice',
  async strike(arena) {
    const { ingress } = arena.stage
    let recovery = 0
    for (let kill = 0; kill < 2; kill++) {
      await nextAccepted(arena)
      const pid = await eventually('the ingress ran', () => ingress.pid)
      process.kill(pid, 'SIGKILL')
      recovery = Math.max(recovery, await nextAccepted(arena))
    }
    return { recovery, broken: [] }
  },
}
