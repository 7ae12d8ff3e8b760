// The worker of the solver. It receives the challenge and then parts of its puzzles, and returns the result of each
// part.
import { makeTrial } from './puzzles.js'

let trial

self.addEventListener('message', async ({ data }) => {
  try {
    if (data.challenge) {
      trial = await makeTrial(data.challenge)
      self.postMessage({ ready: true })
    } else {
      self.postMessage({ found: await trial(data.part) })
    }
  } catch (error) {
    self.postMessage({ error: String(error) })
  }
})
