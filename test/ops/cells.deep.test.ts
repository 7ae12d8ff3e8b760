import t from 'tap'
import { whyNoHaproxy } from '../../ops/trials/cells/haproxy.ts'
import { findFailedChecks, harmed, run, sound } from '../../ops/trials/cells/run.ts'

t.setTimeout(600_000)
const skip = (await whyNoHaproxy()) ?? false

t.test(
  'no request of a cell fails by another that is frozen, killed or back, through any door',
  { skip },
  async (t) => {
    const phases = await run({ phase: 5_000, rate: 5, workers: false }, t.comment)
    t.same(findFailedChecks(phases), [])
    const seen = (phase: string, way: string) => {
      const found = phases.find(({ name }) => name.includes(phase))?.seen.find(({ name }) => name === way)
      if (!found) throw new Error(`${phase}, ${way} was not seen`)
      return found
    }
    for (const { name, seen } of phases)
      t.ok(
        seen.every(({ sent }) => sent >= 20),
        `${name}: all ways were asked`,
      )
    for (const [cell, door] of [
      [sound, harmed],
      [harmed, sound],
      [sound, 'HAProxy'],
      [harmed, 'HAProxy'],
    ] as const) {
      for (const phase of ['before', 'thawed']) {
        const { ok, sent } = seen(phase, `${cell} by ${door}`)
        t.equal(ok, sent, `${phase}: ${cell} by ${door}`)
      }
      // A cell that has just started may have to be asked again.
      const back = seen('back', `${cell} by ${door}`)
      t.ok(back.ok > 0 && back.other === 0, `back: ${cell} by ${door}, HAProxy reloaded meanwhile`)
    }
    t.equal(seen('frozen', `${harmed} by ${sound}`).ok, 0, 'the fault is one')
    t.ok(seen('frozen', `${sound} by ${harmed}`).ok > 0, 'the frozen cell’s own door passes the other’s requests on')
  },
)
