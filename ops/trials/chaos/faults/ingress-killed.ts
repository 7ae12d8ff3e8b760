import { type Fault, measureNextAccepted, waitUntil } from '../fault.ts'

export const ingressKilled: Fault = {
  name: 'ingress-killed',
  what: 'kill -9 of the ingress, twice',
  async strike(arena) {
    const { ingress } = arena.stage
    let recovery = 0
    for (let kill = 0; kill < 2; kill++) {
      await measureNextAccepted(arena)
      const pid = await waitUntil('the ingress runs', () => ingress.pid)
      process.kill(pid, 'SIGKILL')
      recovery = Math.max(recovery, await measureNextAccepted(arena))
    }
    return { recovery, broken: [] }
  },
}
