import t from 'tap'
import { writeInHalves } from '#lib/splitting.ts'

t.test(
  'one that cannot be written is settled alone, and costs no other its turn, even where settling throws',
  async (t) => {
    for (const bad of [0, 3, 6]) {
      const written: number[] = []
      const alone: number[] = []
      const group = [0, 1, 2, 3, 4, 5, 6]
      const work = writeInHalves(group, {
        async write(part) {
          if (part.includes(bad)) throw new Error('a bad row')
          written.push(...part)
        },
        isOnes: () => true,
        failed(part, error) {
          alone.push(...part)
          throw error
        },
      })
      await t.rejects(work, { message: 'a bad row' })
      t.same(
        written,
        group.filter((each) => each !== bad),
      )
      t.same(alone, [bad])
    }
  },
)
